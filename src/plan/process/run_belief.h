// What is known of a run in hand: how fast it learns, and where its course stands.
//
// A run's passes all go e^A times as far as the law says, A ~ N(0, run_effect^2); some runs never
// learn with some versions; and a checkpoint is off the run's course by some jitter, of which the
// next one keeps nothing. Kept is a probability for each of a few classes of runs (hypotheses),
// each with a Kalman filter on the progress: an evaluation is weighed against what the passes
// before it let one expect, so that one lucky checkpoint is not taken for progress.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "plan/process/setting_mdp.h"
#include "plan/types.h"

namespace surety::plan {

class RunBelief {
 public:
  static constexpr std::size_t kEffects = 9;
  static constexpr std::size_t kHypothesesMax = kEffects * kLucksMax;

  struct Hypothesis {
    double effect = 0;       // A.
    double luck = 1;         // RunClass::luck.
    double probability = 0;  // They sum to 1.
    double metric = 0;       // Of the course, expected there.
  };

  // A run that begins with this variant, or stands at this metric by it. `setting` must outlive it.
  RunBelief(const Setting& setting, std::size_t first_variant);
  RunBelief(const Setting& setting, std::size_t variant, double metric);

  // A pass of this variant (changed to, before, if it was another), and what was measured after it.
  void passed(std::size_t variant, double metric);

  [[nodiscard]] std::span<const Hypothesis> hypotheses() const {
    return {hypotheses_.data(), count_};
  }
  // Of the course: mean over the hypotheses.
  [[nodiscard]] double metric() const;
  // The last evaluation against what was expected, in standard deviations: positive is worse.
  [[nodiscard]] double surprise() const { return surprise_; }

 private:
  [[nodiscard]] bool is_stuck(std::size_t hypothesis) const;
  void change_to(std::size_t variant);
  void weigh(double metric);

  const Setting* setting_;
  std::size_t variant_;
  std::size_t count_;  // Of hypotheses.
  std::array<Hypothesis, kHypothesesMax> hypotheses_;
  std::array<double, kHypothesesMax> factor_;               // e^A.
  std::array<double, kHypothesesMax> progress_, variance_;  // And its variance.
  double surprise_ = 0;
};

}  // namespace surety::plan
