#include "sim/check/commits.h"

#include <optional>

namespace surety::sim {
namespace {

std::optional<std::uint64_t> checksum_in(const proto::FromWorker& message) {
  if (message.has_prepared()) return message.prepared().model_checksum();
  if (message.has_step_done()) return message.step_done().model_checksum();
  if (message.has_switched()) return message.switched().model_checksum();
  return std::nullopt;
}

}  // namespace

void Commits::start_session(const proto::ToWorker& message) {
  session_ = message.prepare().session();
  iteration_ = message.model_iteration();
  checksums_.clear();
  pending_.clear();
  measured_ = 0;
  started_wrong_ = false;
  const std::string& file = message.prepare().model().checkpoint();
  started_from_ = file.empty() ? std::nullopt : std::optional(file);
  if (started_from_ && !saved_.contains(file)) {
    violated(fmt::format("session {} starts from {}, which is not in the journal", session_, file));
  }
}

void Commits::on_command(WorkerId to, const proto::ToWorker& message) {
  if (message.has_welcome() || message.has_bye()) return;
  if (message.sequence() < sequence_) {
    violated(fmt::format("command {} comes after command {}", message.sequence(), sequence_));
  }
  sequence_ = message.sequence();
  if (message.has_probe()) return;
  if (message.has_prepare() && message.prepare().session() != session_) start_session(message);
  if (message.model_iteration() < iteration_) {
    violated(
        fmt::format("session {}: iteration {} was committed, but a command has {} as the last one",
                    session_, iteration_, message.model_iteration()));
  }
  if (started_wrong_ && !message.has_prepare()) {
    violated(fmt::format("the model of {} is used, although it is not the one that was saved",
                         *started_from_));
  }
  for (; iteration_ < message.model_iteration(); ++committed_) {
    if (checksums_.contains(++iteration_)) continue;
    violated(fmt::format("iteration {} was committed, although its members never agreed on a model",
                         iteration_));
  }
  if (message.has_evaluate()) measured_ = checksum_of_iteration();
  note_command(to, message);
}

std::uint64_t Commits::checksum_of_iteration() const {
  const auto known = checksums_.find(iteration_);
  return known == checksums_.end() ? 0 : known->second;
}

void Commits::note_command(WorkerId to, const proto::ToWorker& message) {
  std::erase_if(pending_, [&](const auto& entry) { return entry.first < message.sequence(); });
  const bool makes = message.has_step() || message.has_switch_();
  if (!makes && !message.has_prepare()) return;
  PendingCommand& pending = pending_[message.sequence()];
  pending.makes = message.model_iteration() + (makes ? 1 : 0);
  pending.members.insert(to);
}

void Commits::on_answer(WorkerId from, const proto::FromWorker& message) {
  const auto found = pending_.find(message.sequence());
  const auto checksum = checksum_in(message);
  if (!checksum || found == pending_.end() || !found->second.members.contains(from)) return;
  PendingCommand& pending = found->second;
  if (!pending.answers.emplace(from, *checksum).second) return;
  if (pending.answers.size() < pending.members.size()) return;
  for (const auto& [worker, other] : pending.answers) {
    // Then the iteration must not be committed.
    if (other != pending.answers.begin()->second) return;
  }
  const auto [known, is_new] = checksums_.emplace(pending.makes, *checksum);
  if (!message.has_prepared()) {
    known->second = *checksum;  // The iteration was repeated.
  } else if (!is_new && known->second != *checksum) {
    violated(
        fmt::format("session {}: the model of iteration {} has changed", session_, pending.makes));
  } else if (is_new && started_from_ && saved_.contains(*started_from_) &&
             saved_.at(*started_from_) != *checksum) {
    started_wrong_ = true;  // No worker may learn from it.
  }
}

void Commits::on_learning(WorkerId worker, const Held& held, const proto::ToWorker& order) {
  const proto::Step& step = order.step();
  if (held.session != session_) return;  // The order was replaced while it was under way.
  const auto known = checksums_.find(step.iteration() - 1);
  if (known == checksums_.end()) {
    return violated(fmt::format("iteration {} begins from a model that its members never agreed on",
                                step.iteration()));
  }
  if (held.iteration + 1 == step.iteration() && held.checksum == known->second) return;
  violated(fmt::format("worker {} begins iteration {} with the model of iteration {}{}", worker,
                       step.iteration(), held.iteration,
                       held.checksum == known->second ? "" : ", with different bytes"));
}

void Commits::note_checkpoint(const proto::CheckpointCommitted& checkpoint) {
  for (const proto::SavedFile& file : checkpoint.files()) {
    if (!file.chunks().empty()) continue;
    saved_[file.path()] = checkpoint.model_checksum();
    const auto written = written_.find(file.path());
    if (written == written_.end() || written->second == checkpoint.model_checksum()) continue;
    violated(fmt::format("{} is committed, but another model was written into it", file.path()));
  }
}

void Commits::on_model_written(const std::string& path, std::uint64_t checksum) {
  written_[path] = checksum;
  const auto saved = saved_.find(path);
  if (saved == saved_.end() || saved->second == checksum) return;
  violated(fmt::format("{} is in the journal, but another model was written into it", path));
}

void Commits::on_append(const proto::JournalRecord& record) {
  if (record.has_certified() && record.certified().model_checksum() != measured_) {
    violated(fmt::format("{} is certified with the metric of another model",
                         record.certified().checkpoint()));
  }
  if (!record.has_checkpoint_committed()) return;
  const proto::CheckpointCommitted& checkpoint = record.checkpoint_committed();
  note_checkpoint(checkpoint);
  if (checkpoint.model_checksum() == measured_) return;
  violated(
      fmt::format("{} has the metric of another model than the one in it", checkpoint.folder()));
}

void Commits::on_restart(const std::vector<proto::JournalRecord>& records) {
  session_ = 0;
  sequence_ = iteration_ = measured_ = 0;
  checksums_.clear();
  pending_.clear();
  saved_.clear();
  for (const proto::JournalRecord& record : records) {
    if (record.has_checkpoint_committed()) note_checkpoint(record.checkpoint_committed());
  }
}

}  // namespace surety::sim
