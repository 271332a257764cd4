// The coordinator's journal on its disk. The checkers hear of each record that is written, of each
// moment from which all records are durable, and of what a coordinator finds when it starts.
#pragma once

#include <vector>

#include "base/result.h"
#include "orchestrator/history/run_state.h"
#include "sim/world/storage.h"
#include "sim/world/watch.h"

namespace surety::sim {

class CheckedJournal {
 public:
  // `watch` must outlive this.
  explicit CheckedJournal(Watch& watch) : watch_(watch) {}

  // Unavailable if the disk is full: nothing of the record was written.
  [[nodiscard]] Result<void> append(const proto::JournalRecord& record);
  // From now on all records are durable, if one of them has to be (JournalDisk::sync()).
  void sync();
  // A coordinator starts: cuts off a torn tail and returns the remaining records.
  [[nodiscard]] std::vector<proto::JournalRecord> open();
  // The coordinator ends. Of the bytes that were not synced, `share` remain.
  void crash(double share) { disk_.crash(share); }
  // Compares the coordinator's state with the records, if some were written since the last time.
  void compare(const orchestrator::RunState& state);

  void set_full(bool full) { disk_.set_full(full); }

 private:
  JournalDisk disk_;
  Watch& watch_;
  bool wrote_ = false;  // Records were written since the last compare().
};

}  // namespace surety::sim
