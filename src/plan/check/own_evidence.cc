#include "plan/check/own_evidence.h"

#include <algorithm>
#include <cmath>

namespace surety::plan::check {

void OwnEvidence::add_stuck_pass(const plan::VersionLaw& law) {
  quantile_high_ = std::min(quantile_high_, law.stuck_share);
}

void OwnEvidence::add_pass(const plan::VersionLaw& law, double progress) {
  quantile_low_ = std::max(quantile_low_, law.stuck_share);
  const double noise = std::max(law.noise, 1e-2);
  weight_ += 1 / (noise * noise);
  weighed_rates_ += progress / law.rate / (noise * noise);
}

OwnSolver::Effect OwnEvidence::effect(double prior) const {
  if (prior == 0) return {};
  if (weight_ == 0) return {0, prior};
  const double seen = std::log(std::max(weighed_rates_ / weight_, 0.05));
  const double precision = 1 / (prior * prior) + weight_;
  return {weight_ * seen / precision, 1 / std::sqrt(precision)};
}

double OwnEvidence::learns(const plan::VersionLaw& law) const {
  if (law.stuck_share >= quantile_high_) return 0;
  return (quantile_high_ - std::max(quantile_low_, law.stuck_share)) /
         (quantile_high_ - quantile_low_);
}

}  // namespace surety::plan::check
