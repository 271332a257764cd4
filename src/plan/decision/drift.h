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
  double slack = 0.5;  // Standard deviations a pass that are tolerated.
  // A false alarm in about 900 passes; a smaller value gives earlier and more alarms.
  double threshold = 5;
  double single_max = 3;         // Limit for one pass: a single bad pass is no drift.
  double run_effect_min = 0.25;  // After an alarm little is known about the rate.
};

// The observations of one pass.
struct DriftPass {
  std::size_t variant = 0;
  double seconds = 0;
  double surprise = 0;  // Surprise of the metric (RunBelief::surprise()).
  // Progress relative to what the law expects. Absent right after a switch.
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
