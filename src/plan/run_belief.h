// What is known of a run in hand: how fast it learns, and where it really stands.
//
// A run's passes all go e^A times as far as the law says, A ~ N(0, run_effect^2), and an evaluation
// shows the metric with some jitter. Kept is a probability for each of a few values of A
// (hypotheses), each with a Kalman filter on the progress: an evaluation is weighed against what
// the passes before it let one expect, so that one lucky evaluation is not believed (the winner's
// curse), and no evaluation is looked at alone. One more hypothesis is that the run never learns.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "plan/types.h"

namespace surety::plan {

class RunBelief {
 public:
  static constexpr std::size_t kHypotheses = 9;

  struct Hypothesis {
    double effect = 0;       // A.
    double probability = 0;  // Of all of them and of being stuck they sum to 1.
    double metric = 0;       // Expected there.
  };

  // A run that begins with this variant, or stands at this metric by it. `setting` must outlive it.
  RunBelief(const Setting& setting, std::size_t first_variant);
  RunBelief(const Setting& setting, std::size_t variant, double metric);

  // A pass of this variant (changed to, before, if it was another), and what was measured after it.
  void passed(std::size_t variant, double metric);

  [[nodiscard]] std::span<const Hypothesis> hypotheses() const {
    return {hypotheses_.data(), count_};
  }
  [[nodiscard]] double stuck() const { return stuck_; }
  // Mean, and spread of what jitter leaves unknown, over all hypotheses but being stuck.
  [[nodiscard]] double metric() const;
  [[nodiscard]] double metric_sd() const;
  [[nodiscard]] double effect_mean() const;
  [[nodiscard]] double effect_sd() const;
  // The last evaluation against what was expected, in standard deviations: positive is worse.
  [[nodiscard]] double surprise() const { return surprise_; }

 private:
  void change_to(std::size_t variant);
  void weigh(double metric);

  const Setting* setting_;
  std::size_t variant_;
  std::size_t count_;  // Of hypotheses: one where there is no run effect.
  std::array<Hypothesis, kHypotheses> hypotheses_;
  std::array<double, kHypotheses> factor_{};                 // e^A, by hypothesis.
  std::array<double, kHypotheses> progress_{}, variance_{};  // By hypothesis, of the progress.
  double stuck_ = 0;
  double surprise_ = 0;
};

}  // namespace surety::plan
