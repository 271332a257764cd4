// Is a run doing what the laws say? If not: laws that agree with it.
//
// Cumulative sums (Page 1954) of what was seen against what was expected, in standard deviations,
// one for learning and one for time; only the bad side raises an alarm, because a run that is
// better than planned needs no new plan to stop early.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "plan/types.h"

namespace surety::plan {

struct DriftOptions {
  double slack = 0.5;     // Standard deviations a pass that are let go.
  double threshold = 5;   // A false alarm in about 900 passes; smaller: sooner and more often.
  double single_max = 3;  // One pass alone, however bad, is no drift.
  double run_effect_min = 0.25;  // After an alarm little is known of the rate.
};

// One pass as it was seen.
struct DriftPass {
  std::size_t variant = 0;
  double seconds = 0;
  double surprise = 0;                   // Of the metric (RunBelief::surprise()).
  std::optional<double> progress_share;  // Over what the law expects; none right after a switch.
};

enum class Drift : std::uint8_t { kNone, kLearning, kTime };

class DriftAlarm {
 public:
  explicit DriftAlarm(const DriftOptions& options) : options_(options) {}

  // REQUIRES: the same setting until reset().
  [[nodiscard]] Drift add(const Setting& setting, const DriftPass& pass);
  void reset() { learning_ = time_ = 0; }

 private:
  DriftOptions options_;
  double learning_ = 0, time_ = 0;
};

// The setting with rates and durations moved to what the passes showed, and the run effect widened.
// REQUIRES: passes not empty.
[[nodiscard]] Setting refit(Setting setting, const std::vector<DriftPass>& passes,
                            const DriftOptions& options);

}  // namespace surety::plan
