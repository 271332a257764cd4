#include "sim/world/watch.h"

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

Watch::Watch(const orchestrator::JobConfig& config)
    : owners_(samples_of(config.chunks)),
      returns_({.wait_s = config.job.cluster.wait_s, .local = config.job.cluster.local()}) {}

void Watch::on_command(WorkerId to, const proto::ToWorker& message) {
  each([&](Check& check) { check.on_command(to, message); });
  if (message.has_welcome() || message.has_bye()) return;
  if (message.sequence() != sequence_) {
    waiting_.clear();
    sequence_ = message.sequence();
    last_command_ = fmt::format("{} (command {})", kind_of(message), sequence_);
  }
  waiting_.insert(to);
}

void Watch::on_answer(WorkerId from, const proto::FromWorker& message) {
  if (message.has_heartbeat()) return;
  each([&](Check& check) { check.on_answer(from, message); });
  if (message.sequence() != sequence_ || message.has_failed() || message.has_waiting()) return;
  waiting_.erase(from);
}

void Watch::on_admitted(std::uint32_t process, WorkerId worker) {
  admitted_.insert(worker);
  returns_.on_admitted(process, worker);
}

void Watch::on_gone(WorkerId worker) {
  waiting_.erase(worker);
  each([&](Check& check) { check.on_gone(worker); });
}

void Watch::on_learning(WorkerId worker, const Held& held, const proto::ToWorker& order) {
  if (!admitted_.contains(worker)) return;
  each([&](Check& check) { check.on_learning(worker, held, order); });
}

void Watch::on_exchanged(WorkerId worker, const Exchanged& what) {
  if (admitted_.contains(worker)) updates_.on_exchanged(worker, what);
}

void Watch::on_model_written(const std::string& path, std::uint64_t checksum) {
  commits_.on_model_written(path, checksum);
}

void Watch::on_append(const proto::JournalRecord& record) {
  each([&](Check& check) { check.on_append(record); });
}

void Watch::on_sync() { journal_replay_.on_sync(); }

void Watch::on_restart(const std::vector<proto::JournalRecord>& records) {
  each([&](Check& check) { check.on_restart(records); });
  last_command_.clear();
  waiting_.clear();
  admitted_.clear();
  sequence_ = 0;
}

void Watch::check_state(const orchestrator::RunState& state) { journal_replay_.check_state(state); }

std::optional<std::string> Watch::violation() const {
  if (obstacle_) return "progress: " + *obstacle_;
  if (const auto& found = owners_.violation()) return "owners: " + *found;
  if (const auto& found = visits_.violation()) return "visits: " + *found;
  if (const auto& found = updates_.violation()) return "updates: " + *found;
  if (const auto& found = commits_.violation()) return "commits: " + *found;
  if (const auto& found = journal_replay_.violation()) return "journal: " + *found;
  if (const auto& found = returns_.violation()) return "returns: " + *found;
  if (const auto& found = sums_.violation()) return "sums: " + *found;
  return std::nullopt;
}

std::string Watch::waits_for() const {
  if (last_command_.empty()) return "no worker has received a command";
  std::string who;
  for (const WorkerId worker : waiting_) who += fmt::format(" {}", worker);
  if (who.empty()) return last_command_ + " was answered by all workers";
  return fmt::format("{} waits for worker{}", last_command_, who);
}

}  // namespace surety::sim
