#include "plan/decision/run_belief.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace surety::plan {
namespace {

// Relative noise of a pass. Even a law without noise is not trusted exactly.
constexpr double kNoiseMin = 0.02;
// Squared distance, in standard deviations. A larger distance is due to an accident (a pass that
// stalled), and is not additional evidence.
constexpr double kEvidenceMax = 9;
// A run that never learns still changes a little, as a share of the curve's scale.
constexpr double kStuckSpread = 0.1;
constexpr double kFlat = -1e-12;  // Slope that is used in place of zero.

double square(double x) { return x * x; }

}  // namespace

RunBelief::RunBelief(const Setting& setting, std::size_t first_variant)
    : setting_(&setting), variant_(first_variant) {
  const auto classes = run_classes(setting.laws, static_cast<std::uint32_t>(kEffects));
  SURETY_CHECK(classes.size() <= kHypothesesMax);
  count_ = classes.size();
  const double start = setting.law_of(first_variant).curve.at(0);
  for (std::size_t i = 0; i < count_; ++i) {
    hypotheses_[i] = {classes[i].effect, classes[i].stuck_quantile, classes[i].probability, start};
    factor_[i] = std::exp(classes[i].effect);
    progress_[i] = variance_[i] = 0;
  }
}

RunBelief::RunBelief(const Setting& setting, std::size_t variant, double metric)
    : RunBelief(setting, variant) {
  const Curve& curve = setting.law_of(variant).curve;
  for (std::size_t i = 0; i < count_; ++i) {
    progress_[i] = curve.progress(std::max(metric, curve.lowest()));
    hypotheses_[i].metric = metric;
  }
}

bool RunBelief::is_stuck(std::size_t hypothesis) const {
  return hypotheses_[hypothesis].stuck_quantile < setting_->law_of(variant_).stuck_share;
}

void RunBelief::change_to(std::size_t variant) {
  const std::size_t from = setting_->variants[variant_].version;
  const std::size_t to = setting_->variants[variant].version;
  variant_ = variant;
  if (from == to) return;
  const VersionLaw& before = setting_->laws.versions[from];
  const VersionLaw& law = setting_->laws.versions[to];
  SwitchLaw jump;
  if (before.rank != law.rank) jump = setting_->laws.switches[before.rank][law.rank];
  for (std::size_t i = 0; i < count_; ++i) {
    const double slope = before.curve.slope(progress_[i]);
    const double metric = std::max(hypotheses_[i].metric, law.curve.lowest());
    const double after = std::max(metric * std::exp(jump.log_mean), law.curve.lowest());
    // In units of the metric: the spread so far, scaled like the metric, and the spread of the
    // jump.
    const double variance =
        square(slope) * variance_[i] * square(after / metric) + square(after * jump.log_sd);
    hypotheses_[i].metric = after;
    progress_[i] = law.curve.progress(after);
    variance_[i] = variance / square(std::min(law.curve.slope(progress_[i]), kFlat));
  }
}

void RunBelief::on_pass(std::size_t variant, double metric) {
  if (variant != variant_) change_to(variant);
  const VersionLaw& law = setting_->law_of(variant_);
  for (std::size_t i = 0; i < count_; ++i) {
    if (is_stuck(i)) continue;
    const double step = law.rate * factor_[i];
    progress_[i] += step;
    variance_[i] += square(step * std::max(law.noise, kNoiseMin));
  }
  weigh(metric);
}

// The measurement in terms of progress: u(y), with the jitter's spread divided by the slope there.
// Near the floor the slope vanishes, and an evaluation shows little of the progress. Without jitter
// an evaluation shows the progress exactly. A stuck run stays about where it was.
void RunBelief::weigh(double metric) {
  const VersionLaw& law = setting_->law_of(variant_);
  const double shown = std::max(metric, law.curve.lowest());
  const double seen = law.curve.progress(shown);
  const bool exact = !(law.jitter > 0);
  // Densities of a stuck run are densities of the metric, so the other densities must be converted
  // to the metric.
  const double slope =
      exact && !(law.stuck_share > 0) ? -1 : std::min(law.curve.slope(seen, shown), kFlat);
  const double jitter = exact ? 0 : square(law.jitter / slope);
  const double believed = std::max(shown, law.metric_supported);
  const double stuck_spread = std::max(kStuckSpread * law.curve.scale, law.jitter);
  double total = 0;
  surprise_ = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    Hypothesis& one = hypotheses_[i];
    if (is_stuck(i)) {
      const double off = square((metric - one.metric) / stuck_spread);
      one.probability *= std::exp(-off / 2) / stuck_spread;
    } else {
      const double spread = variance_[i] + jitter;
      const double root = std::sqrt(spread);
      const double innovation = seen - progress_[i];
      const double off = std::min(square(innovation) / spread, kEvidenceMax);
      surprise_ -= one.probability * innovation / root;
      one.probability *= std::exp(-off / 2) / (root * -slope);
      const double gain = variance_[i] / spread;
      progress_[i] += gain * innovation;
      variance_[i] *= 1 - gain;
      one.metric = exact ? believed : std::max(law.curve.at(progress_[i]), law.metric_supported);
    }
    total += one.probability;
  }
  if (!(total > 0)) return;
  for (std::size_t i = 0; i < count_; ++i) hypotheses_[i].probability /= total;
}

double RunBelief::metric() const {
  double sum = 0;
  for (const Hypothesis& one : hypotheses()) sum += one.probability * one.metric;
  return sum;
}

}  // namespace surety::plan
