// Recorded training runs, pass by pass, as they are replayed on a virtual clock.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace surety::bench {

// One evaluation of a run, on the half that decides and on the half that certifies.
struct Seen {
  double decide = 0, decide_se = 0, certify = 0;
};

struct RecordedRun {
  std::vector<Seen> passes;  // 0 is the untrained model.
  // What its division of the samples makes the deciding half better than the certifying one, in
  // standard errors of an evaluation: the mean over its passes.
  double split = 0;
};

struct RecordedVersion {
  std::string name;
  std::vector<RecordedRun> runs;  // By seed; each divides the samples in its own way.
};

struct RecordedStudy {
  std::string name;
  std::vector<RecordedVersion> versions;  // The full one first.
  std::uint32_t passes = 0;               // Of each run.
};

// The runs of trajectories.csv that never changed their version and have all `passes`.
// InvalidInput for a file that is none.
[[nodiscard]] Result<RecordedStudy> read_recorded(const std::string& name,
                                                  const std::filesystem::path& file,
                                                  std::uint32_t passes);

}  // namespace surety::bench
