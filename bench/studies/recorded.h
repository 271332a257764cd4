// Recorded training runs, pass by pass, in the form in which they are replayed on a virtual clock.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/result.h"
#include "bench/studies/division.h"
#include "bench/studies/recording.h"

namespace surety::bench {

// One evaluation of a run, on the deciding half and on the certifying half.
struct PassMetrics {
  double decide = 0;
  double decide_se = 0;
  double certify = 0;
};

// One of the two vectors is filled. Its index is the pass; 0 is the untrained model.
struct RecordedRun {
  std::vector<Measured> measured;  // Every division follows from the parts in these.
  // The older layout, with the division of the run's seed. Zeros if pass 0 was not measured.
  std::vector<PassMetrics> halves;
  // Used with `halves`: the advantage of the deciding half over the certifying one by the division,
  // in standard errors of an evaluation. It is the mean over the passes.
  double split = 0;
};

struct RecordedVersion {
  std::string name;
  std::vector<RecordedRun> runs;  // The runs, in the order of their seeds.
};

struct RecordedStudy {
  std::string name;
  std::vector<RecordedVersion> versions;  // The versions; the full one is first.
  std::uint32_t passes = 0;               // Passes of each run.
  double untrained = 0;                   // Loss of the first run before its first pass.
};

// Odd seeds are for calibration, and even ones for judging its result.
enum class Seeds : std::uint8_t { kAll, kCalibrate, kJudge };

// Reads the runs of trajectories.csv, of either layout, that never changed their version and have
// all `passes`. InvalidInput if the file is not valid, or has no such run of some version.
[[nodiscard]] Result<RecordedStudy> read_recorded(const std::string& name,
                                                  const std::filesystem::path& file,
                                                  std::uint32_t passes, Seeds seeds);

// The division of the validation images of one job, which all of its attempts share.
class JobDivision {
 public:
  // Draws a division of the parts into halves. The older layout only has the divisions of its runs:
  // one of these is drawn, and all runs are shifted to it.
  JobDivision(const RecordedStudy& study, Random& random);

  // The evaluations of a run with this division, by pass.
  [[nodiscard]] std::vector<PassMetrics> metrics_of(const RecordedRun& run) const;

 private:
  Division division_;
  double split_ = 0;
};

}  // namespace surety::bench
