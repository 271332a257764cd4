// Checks that the journal explains the state of the coordinator: which workers are present, which
// checkpoints are kept, and how far training is. Everything that was durable before a crash must
// exist after it.
//
// It replays the records by the rules in proto/surety.proto, and does not use
// orchestrator/history/run_state.h.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "orchestrator/history/run_state.h"
#include "sim/check/check.h"

namespace surety::sim {

class JournalReplayCheck final : public Check {
 public:
  void on_append(const proto::JournalRecord& record) override;
  void on_command(WorkerId to, const proto::ToWorker& message) override;
  void on_restart(const std::vector<proto::JournalRecord>& records) override;
  // The state that the coordinator has now.
  void check_state(const orchestrator::RunState& state);
  // Everything up to here is durable.
  void on_sync() { durable_ = appended_; }

 private:
  void fold(const proto::JournalRecord& record);

  std::set<WorkerId> present_;
  std::uint32_t workers_ = 0;             // The highest id that was ever given.
  std::vector<std::string> checkpoints_;  // Folders, oldest first; all that were not dropped.
  bool stopped_ = false;
  bool ended_ = false;
  std::string met_with_;  // The checkpoint that met the target, if the run stopped with it.
  std::uint64_t appended_ = 0;
  std::uint64_t durable_ = 0;
};

}  // namespace surety::sim
