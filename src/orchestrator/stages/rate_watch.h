// Watches an attempt for a learning rate that is too high: the metric gets worse from pass to pass,
// beyond noise.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "base/words.h"
#include "plan/words.h"

namespace surety::orchestrator {

class RateWatch {
 public:
  // Consecutive passes that are each worse than the one before. A single one may be chance or a
  // change of version. Waiting for a third would cost another pass before the user is warned.
  static constexpr std::uint32_t kWorseMax = 2;

  // Must be called when the model changes without a pass: it is loaded, or its version changes. The
  // next pass is not compared with the last one.
  void on_model_changed() {
    has_last_ = false;
    worse_ = 0;
  }

  // Must be called when a pass has ended. A lower `metric` is better. Returns true, at most once,
  // if the rate seems too high.
  [[nodiscard]] bool on_pass(double metric, double metric_se) {
    const double noise = 2 * std::sqrt(metric_se * metric_se + last_se_ * last_se_);
    worse_ = has_last_ && metric > last_ + noise ? worse_ + 1 : 0;
    last_ = metric;
    last_se_ = metric_se;
    has_last_ = true;
    return worse_ == kWorseMax && !std::exchange(has_warned_, true);
  }

 private:
  double last_ = 0;
  double last_se_ = 0;
  bool has_last_ = false;
  std::uint32_t worse_ = 0;
  bool has_warned_ = false;
};

// Advice for the user. `metric` is in the user's terms.
[[nodiscard]] inline std::string worse_words(plan::Metric kind, double metric, double rate) {
  return fmt::format(
      "{} has become worse in {} consecutive passes (now {}): train.learning_rate {:.3g} may be "
      "too high; try {:.3g}, or auto with surety run",
      plan::metric_words(kind), RateWatch::kWorseMax, short_number(metric), rate, rate / 10);
}

}  // namespace surety::orchestrator
