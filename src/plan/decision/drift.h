// Detects whether a run deviates from its laws, and finds laws that agree with it.
//
// There are two cumulative sums (Page 1954) of observed against expected values, in standard
// deviations: one for learning and one for time. Only deviations to the worse raise an alarm. A run
// that is better than planned stops early without a new plan.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "plan/types.h"

namespace surety::plan {

struct DriftOptions {
  // The first three values are in standard deviations.
  double slack = 0.5;  // Deviation to the worse that is tolerated in each pass.
  // An alarm is raised if a sum exceeds this value. There is a false alarm in about 900 passes. A
  // smaller value gives earlier and more alarms.
  double threshold = 5;
  double single_max = 3;  // The most that one pass counts: a single bad pass is no drift.
  // Lower bound of Laws::run_effect after an alarm, because then little is known about the rate.
  double run_effect_min = 0.25;
};

// The observations of one pass.
struct DriftPass {
  std::size_t variant = 0;
  double seconds = 0;
  // Deviation of the metric from its expected value, in standard deviations. A positive value is
  // worse than expected (RunBelief::surprise()).
  double surprise = 0;
  // Progress of the pass, divided by that which the law expects. Absent right after a switch.
  std::optional<double> progress_share;
};

enum class Drift : std::uint8_t { kNone, kLearning, kTime };

class DriftAlarm {
 public:
  explicit DriftAlarm(const DriftOptions& options) : options_(options) {}

  // REQUIRES: the setting is the same until reset().
  [[nodiscard]] Drift add(const Setting& setting, const DriftPass& pass);
  void reset() { learning_ = time_ = 0; }

 private:
  DriftOptions options_;
  double learning_ = 0;
  double time_ = 0;
};

// The setting with rates and durations fitted to the passes, and a wider run effect. REQUIRES:
// passes not empty.
[[nodiscard]] Setting refit(Setting setting, const std::vector<DriftPass>& passes,
                            const DriftOptions& options);

}  // namespace surety::plan
