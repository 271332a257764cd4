// Judges only from its journal whether a disturbed run behaved correctly.
//
// This code is pure, and shares no code with the program that wrote the journal.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "faults.h"
#include "proto/surety.pb.h"

namespace surety::bench {

using Records = std::vector<proto::JournalRecord>;

// A fault that was injected.
struct InjectedFault {
  FaultKind kind = FaultKind::kKillWorker;
  double unix_s = 0;
};

struct Judgement {
  // Committed passes, including those that were repeated from a checkpoint.
  std::uint32_t passes = 0;
  // The difference between visits and samples in a pass, summed over all passes.
  std::uint64_t samples_off = 0;
  // Passes that follow neither the pass before nor the newest checkpoint. A run continues from a
  // checkpoint if it was resumed or lost its model.
  std::uint32_t out_of_order = 0;
  double longest_s = 0;  // Longest time between two passes, in seconds.
  // Share of the time from the first pass's end to the last one's in which training waits for a
  // checkpoint: from the end of a pass until its checkpoint is committed.
  double saving_share = 0;
  // Seconds from a fault to the commit of a pass that began after it. Faults without such a pass
  // are omitted.
  std::map<FaultKind, std::vector<double>> recovery_s;
};

// `samples` is the number of samples in the data.
[[nodiscard]] Judgement judge(const Records& journal, std::uint64_t samples,
                              const std::vector<InjectedFault>& faults);

// Counts the records that the journal `now` lacks or has changed. `once` is the journal as it was
// on the disk earlier, and is compared up to its last durable record.
[[nodiscard]] std::uint32_t records_lost(const Records& once, const Records& now);

}  // namespace surety::bench
