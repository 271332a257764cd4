#include "sim/watch.h"

namespace surety::sim {
namespace {

std::map<ChunkId, std::uint64_t> samples_of(const std::vector<data::ChunkRange>& chunks) {
  std::map<ChunkId, std::uint64_t> samples;
  for (const data::ChunkRange& range : chunks) samples[range.id] = range.count;
  return samples;
}

std::string kind_of(const proto::ToWorker& message) {
  const auto* field =
      message.GetDescriptor()->FindFieldByNumber(static_cast<int>(message.command_case()));
  return field == nullptr ? "nothing" : field->name();
}

}  // namespace

Watch::Watch(const orchestrator::JobConfig& config, bool checks)
    : checks_(checks),
      owners_(samples_of(config.chunks)),
      returns_({.wait_s = config.job.cluster.wait_s, .local = config.job.cluster.local()}) {}

void Watch::commanded(WorkerId to, const proto::ToWorker& message) {
  each([&](Check& check) { check.commanded(to, message); });
  commits_.commanded(to, message);
  if (message.has_welcome() || message.has_bye()) return;
  if (message.sequence() != sequence_) {
    waiting_.clear();
    sequence_ = message.sequence();
    asked_ = fmt::format("{} (command {})", kind_of(message), sequence_);
  }
  waiting_.insert(to);
}

void Watch::answered(WorkerId from, const proto::FromWorker& message) {
  if (message.has_heartbeat()) return;
  each([&](Check& check) { check.answered(from, message); });
  commits_.answered(from, message);
  if (message.sequence() == sequence_ && !message.has_failed()) waiting_.erase(from);
}

void Watch::gone(WorkerId worker) {
  waiting_.erase(worker);
  each([&](Check& check) { check.gone(worker); });
}

void Watch::learning(WorkerId worker, const Held& held, const proto::ToWorker& order) {
  each([&](Check& check) { check.learning(worker, held, order); });
  if (checks_) commits_.learning(worker, held, order);
}

void Watch::exchanged(WorkerId worker, const Exchanged& what) {
  if (checks_) updates_.exchanged(worker, what);
}

void Watch::wrote_model(const std::string& path, std::uint64_t checksum) {
  if (checks_) commits_.wrote_model(path, checksum);
}

void Watch::appended(const proto::JournalRecord& record) {
  each([&](Check& check) { check.appended(record); });
  commits_.appended(record);
}

void Watch::synced() { books_.synced(); }

void Watch::restarted(const std::vector<proto::JournalRecord>& records) {
  each([&](Check& check) { check.restarted(records); });
  commits_.restarted(records);
  asked_.clear();
  waiting_.clear();
  sequence_ = 0;
}

void Watch::believes(const orchestrator::RunState& state) {
  if (checks_) books_.believes(state);
}

std::string Watch::violation() const {
  if (!obstacle_.empty()) return "progress: " + obstacle_;
  if (!checks_) return "";
  if (!owners_.violation().empty()) return "owners: " + owners_.violation();
  if (!visits_.violation().empty()) return "visits: " + visits_.violation();
  if (!updates_.violation().empty()) return "updates: " + updates_.violation();
  if (!commits_.violation().empty()) return "commits: " + commits_.violation();
  if (!books_.violation().empty()) return "journal: " + books_.violation();
  if (!returns_.violation().empty()) return "returns: " + returns_.violation();
  return "";
}

std::string Watch::waits_for() const {
  if (asked_.empty()) return "no worker has received a command";
  std::string who;
  for (const WorkerId worker : waiting_) who += fmt::format(" {}", worker);
  if (who.empty()) return asked_ + " was answered by all workers";
  return fmt::format("{} waits for worker{}", asked_, who);
}

}  // namespace surety::sim
