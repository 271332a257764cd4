#include "sim/check/journal_replay_check.h"

namespace surety::sim {

void JournalReplayCheck::fold(const proto::JournalRecord& record) {
  ++appended_;
  if (record.has_worker_joined()) {
    const WorkerId worker{record.worker_joined().worker()};
    if (worker.value <= workers_)
      violated(fmt::format("the worker id {} is given a second time", worker));
    workers_ = worker.value;
    present_.insert(worker);
  }
  if (record.has_worker_gone()) present_.erase(WorkerId{record.worker_gone().worker()});
  if (record.has_run_resumed()) present_.clear();
  if (record.has_checkpoint_committed()) {
    checkpoints_.push_back(record.checkpoint_committed().folder());
  }
  if (record.has_checkpoint_dropped()) {
    const std::string& folder = record.checkpoint_dropped().folder();
    std::erase(checkpoints_, folder);
    if (!met_with_.empty() && met_with_ == folder) stopped_ = false;
  }
  if (record.has_run_stopped()) {
    stopped_ = true;
    met_with_ = record.run_stopped().target_met() ? record.run_stopped().checkpoint() : "";
  }
  if (ended_) violated("a record is written after the end of the run");
  ended_ = ended_ || record.has_run_ended();
}

void JournalReplayCheck::on_append(const proto::JournalRecord& record) { fold(record); }

// A message must not be sent to a worker that is not in the journal.
void JournalReplayCheck::on_command(WorkerId to, const proto::ToWorker& message) {
  if (present_.contains(to) || message.has_bye()) return;
  violated(fmt::format("worker {} receives a command, but is not in the journal", to));
}

void JournalReplayCheck::on_restart(const std::vector<proto::JournalRecord>& records) {
  if (records.size() < durable_) {
    violated(fmt::format("the journal has {} records after a crash, but {} were durable",
                         records.size(), durable_));
  }
  present_.clear();
  workers_ = 0;
  checkpoints_.clear();
  stopped_ = ended_ = false;
  met_with_.clear();
  appended_ = 0;
  for (const proto::JournalRecord& record : records) fold(record);
}

void JournalReplayCheck::check_state(const orchestrator::RunState& state) {
  std::set<WorkerId> present;
  for (const auto& [worker, type] : state.workers.present) present.insert(worker);
  if (present != present_) {
    violated(fmt::format("the coordinator has {} workers present, but the journal has {}",
                         present.size(), present_.size()));
  }
  if (state.workers.last_id != workers_) {
    violated(fmt::format("the coordinator has {} as the last worker, but the journal has {}",
                         state.workers.last_id, workers_));
  }
  const std::string newest = state.checkpoints.empty() ? "" : state.checkpoints.back().folder();
  // The newest two checkpoints are kept. If both were dropped, training cannot return to an older
  // one.
  if (!newest.empty() && newest != checkpoints_.back()) {
    violated(
        fmt::format("the coordinator has '{}' as the newest checkpoint, but the journal has '{}'",
                    newest, checkpoints_.back()));
  }
  if (state.stop.has_value() != stopped_ || state.end.has_value() != ended_) {
    violated("the coordinator has ended training or the run, but the journal has no such record");
  }
}

}  // namespace surety::sim
