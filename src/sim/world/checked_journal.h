// The coordinator's journal on its disk. The checkers are told of each written record, of each sync
// that makes all records durable, and of the records that a starting coordinator finds.
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

  // Unavailable if the disk is full: then no part of the record was written.
  [[nodiscard]] Result<void> append(const proto::JournalRecord& record);
  // Makes all records durable if one of them must be durable (JournalDisk::sync()).
  void sync();
  // A coordinator starts: cuts off a torn tail and returns the remaining records.
  [[nodiscard]] std::vector<proto::JournalRecord> open();
  // The coordinator crashes. Of the bytes that were not synced, only the first `share` remain; a
  // share of 1 keeps all.
  void crash(double share) { disk_.crash(share); }
  // Compares the coordinator's state with the records, if records were written since the last
  // comparison.
  void compare(const orchestrator::RunState& state);

  void set_full(bool full) { disk_.set_full(full); }

 private:
  JournalDisk disk_;
  Watch& watch_;
  bool wrote_ = false;  // Records were written since the last compare().
};

}  // namespace surety::sim
