// The evidence of a simulated run about itself: how fast it learns, and with which versions.
//
// All passes of a run go e^A times as far as the law predicts, A ~ N(0, run_effect^2). A run has a
// quantile between 0 and 1, and does not learn with a version whose stuck share is above it. Each
// pass narrows the interval of possible quantiles.
#pragma once

#include "plan/check/own_solver.h"
#include "plan/types.h"

namespace surety::plan::check {

class OwnEvidence {
 public:
  // A pass of a version showed no progress.
  void add_stuck_pass(const plan::VersionLaw& law);
  // A pass of a version went this far.
  void add_pass(const plan::VersionLaw& law, double progress);

  // Normal belief about A, from the mean rate of the passes so far. `prior`: its standard deviation
  // before any pass.
  [[nodiscard]] OwnSolver::Effect effect(double prior) const;
  // Chance that passes of a version will show progress.
  [[nodiscard]] double learns(const plan::VersionLaw& law) const;

 private:
  // Sum of the weights of passes; a pass with less noise has a larger weight.
  double weight_ = 0;
  double weighed_rates_ = 0;
  // Bounds of the quantile.
  double quantile_low_ = 0;
  double quantile_high_ = 1;
};

}  // namespace surety::plan::check
