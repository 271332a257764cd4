// Recorded training runs, pass by pass, as they are replayed on a virtual clock.
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

// One evaluation of a run, on the half that decides and on the half that certifies.
struct Seen {
  double decide = 0, decide_se = 0, certify = 0;
};

// One of these is filled, by pass; 0 is the untrained model.
struct RecordedRun {
  std::vector<Measured> measured;  // From its parts every division follows.
  // The older layout: as its seed divided the images. Zeros where pass 0 was not measured.
  std::vector<Seen> halves;
  // Of `halves`: what its division of the images makes the deciding half better than the certifying
  // one, in standard errors of an evaluation: the mean over its passes.
  double split = 0;
};

struct RecordedVersion {
  std::string name;
  std::vector<RecordedRun> runs;  // By seed.
};

struct RecordedStudy {
  std::string name;
  std::vector<RecordedVersion> versions;  // The full one first.
  std::uint32_t passes = 0;               // Of each run.
  double untrained = 0;                   // Loss of the first run before its first pass.
};

// Odd seeds are for whoever calibrates, even ones for whoever judges what was calibrated.
enum class Seeds : std::uint8_t { kAll, kCalibrate, kJudge };

// The runs of trajectories.csv that never changed their version and have all `passes`, of either
// layout. InvalidInput for a file that is none, or has no such run of a version.
[[nodiscard]] Result<RecordedStudy> read_recorded(const std::string& name,
                                                  const std::filesystem::path& file,
                                                  std::uint32_t passes, Seeds seeds);

// How one job divides the validation images: all of its attempts share it.
class JobDivision {
 public:
  // Of parts: a division into halves, drawn here. The older layout has only the divisions of its
  // runs, which are shifted to that of one of them, drawn here.
  JobDivision(const RecordedStudy& study, Random& random);

  // What a run shows with it, by pass.
  [[nodiscard]] std::vector<Seen> seen(const RecordedRun& run) const;

 private:
  Division division_;
  double split_ = 0;
};

}  // namespace surety::bench
