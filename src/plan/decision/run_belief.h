// The belief about the current run: its speed of learning, and the current metric of its course.
//
// All passes of a run go e^A times as far as the law predicts, A ~ N(0, run_effect^2). Some runs
// never learn with some versions. A checkpoint differs from the run's course by jitter, which does
// not carry over to the next one.
//
// There is a probability for each of a few classes of runs (hypotheses). Each class has a Kalman
// filter on the progress, which weighs an evaluation against the prediction from earlier passes. So
// one lucky checkpoint does not count as progress.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "plan/decision/setting_mdp.h"
#include "plan/types.h"

namespace surety::plan {

class RunBelief {
 public:
  static constexpr std::size_t kEffects = 9;
  static constexpr std::size_t kHypothesesMax = kEffects * kStuckQuantilesMax;

  struct Hypothesis {
    double effect = 0;  // The run effect A.
    // The run never learns with a version whose stuck_share is above this.
    double stuck_quantile = 1;
    double probability = 0;  // All probabilities sum to 1.
    double metric = 0;       // Expected metric of the course.
  };

  // Belief about a run that begins with this variant, or has this metric with it. `setting` must
  // outlive the belief.
  RunBelief(const Setting& setting, std::size_t first_variant);
  RunBelief(const Setting& setting, std::size_t variant, double metric);

  // Adds a pass of this variant and the metric after it. If the variant differs from the last one,
  // the run changed to it before the pass.
  void on_pass(std::size_t variant, double metric);

  [[nodiscard]] std::span<const Hypothesis> hypotheses() const {
    return {hypotheses_.data(), count_};
  }
  // Expected metric of the course: mean over the hypotheses.
  [[nodiscard]] double metric() const;
  // The last evaluation compared with its prediction, in standard deviations. Positive is worse.
  [[nodiscard]] double surprise() const { return surprise_; }

 private:
  [[nodiscard]] bool is_stuck(std::size_t hypothesis) const;
  void change_to(std::size_t variant);
  void weigh(double metric);

  const Setting* setting_;
  std::size_t variant_;
  std::size_t count_;  // Number of hypotheses.
  std::array<Hypothesis, kHypothesesMax> hypotheses_;
  std::array<double, kHypothesesMax> factor_;  // e^A for each hypothesis.
  // Progress of the course and its variance.
  std::array<double, kHypothesesMax> progress_;
  std::array<double, kHypothesesMax> variance_;
  double surprise_ = 0;
};

}  // namespace surety::plan
