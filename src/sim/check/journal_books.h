// The journal explains what the coordinator did: who is there, which checkpoints are kept, how far
// training is. And what it said before a crash is still there after it.
//
// The books: a fold of the records by the words of proto/surety.proto, without run_state.h.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "orchestrator/run_state.h"
#include "sim/check/check.h"

namespace surety::sim {

class JournalBooks final : public Check {
 public:
  void appended(const proto::JournalRecord& record) override;
  void commanded(WorkerId to, const proto::ToWorker& message) override;
  void restarted(const std::vector<proto::JournalRecord>& records) override;
  // What the coordinator believes now.
  void believes(const orchestrator::RunState& state);
  // Everything up to here is on the disk for good.
  void synced() { durable_ = appended_; }

 private:
  void fold(const proto::JournalRecord& record);

  std::set<WorkerId> present_;
  std::uint32_t workers_ = 0;             // Highest id ever given.
  std::vector<std::string> checkpoints_;  // Folders, oldest first; all that were not dropped.
  bool stopped_ = false, ended_ = false;
  std::string met_with_;  // The checkpoint that the run stopped with, as it met the target.
  std::uint64_t appended_ = 0, durable_ = 0;
};

}  // namespace surety::sim
