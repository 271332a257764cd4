// Whether a run that was disturbed did what it should, from its journal alone.
//
// Pure: it shares no code with what wrote the journal.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "faults.h"
#include "proto/surety.pb.h"

namespace surety::bench {

using Records = std::vector<proto::JournalRecord>;

// A fault as it happened.
struct Happened {
  FaultKind kind = FaultKind::kKillWorker;
  double unix_s = 0;
};

struct Judgement {
  std::uint32_t passes = 0;       // Committed, those after a checkpoint that was gone back to too.
  std::uint64_t samples_off = 0;  // Visited more or less than once in a pass, over all passes.
  // Passes that do not follow on the one before or, where the run was resumed or lost its model, on
  // a checkpoint.
  std::uint32_t out_of_order = 0;
  double longest_s = 0;  // Between two passes.
  // Of the time from the first pass's end to the last one's, what passed from a pass's end until
  // the checkpoint after it was committed: training waits.
  double saving_share = 0;
  // From a fault until a pass that began after it was committed; faults with no such pass are left
  // out.
  std::map<FaultKind, std::vector<double>> recovery_s;
};

// `samples`: in the data.
[[nodiscard]] Judgement judge(const Records& journal, std::uint64_t samples,
                              const std::vector<Happened>& faults);

// How many of these records, as they were once on the disk, up to the last that must be there, the
// journal lacks now or has changed.
[[nodiscard]] std::uint32_t records_lost(const Records& once, const Records& now);

}  // namespace surety::bench
