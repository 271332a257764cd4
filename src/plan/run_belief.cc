#include "plan/run_belief.h"

#include <algorithm>
#include <cmath>

#include "plan/setting_mdp.h"

namespace surety::plan {
namespace {

// Of a pass, relative to the rate: even a law without noise is not believed to the last digit.
constexpr double kNoiseMin = 0.02;
// Squared, in standard deviations: what is further off is an accident (a pass that stalled), not
// nine times the evidence.
constexpr double kEvidenceMax = 9;
// A run that never learns still moves a little around its start, as a share of the curve's scale.
constexpr double kStuckSpread = 0.1;

double square(double x) { return x * x; }

}  // namespace

RunBelief::RunBelief(const Setting& setting, std::size_t first_variant)
    : setting_(&setting), variant_(first_variant) {
  const auto classes =
      effect_classes(setting.laws.run_effect, static_cast<std::uint32_t>(kHypotheses));
  const VersionLaw& law = setting.law_of(first_variant);
  stuck_ = law.stuck_share;
  count_ = classes.size();
  for (std::size_t i = 0; i < count_; ++i) {
    hypotheses_[i] = {classes[i].effect, classes[i].probability * (1 - stuck_), law.curve.at(0)};
    factor_[i] = std::exp(classes[i].effect);
  }
}

RunBelief::RunBelief(const Setting& setting, std::size_t variant, double metric)
    : RunBelief(setting, variant) {
  const Curve& curve = setting.law_of(variant).curve;
  for (std::size_t i = 0; i < count_; ++i) {
    progress_[i] = curve.progress(std::max(metric, curve.lowest()));
    hypotheses_[i].metric = metric;
    // A run that got somewhere is not stuck.
    hypotheses_[i].probability /= 1 - stuck_;
  }
  stuck_ = 0;
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
    const double metric = std::max(before.curve.at(progress_[i]), law.curve.lowest());
    const double after = std::max(metric * std::exp(jump.log_mean), law.curve.lowest());
    // In the metric: the spread so far, scaled like the metric, and the jump's own.
    const double variance =
        square(slope) * variance_[i] * square(after / metric) + square(after * jump.log_sd);
    progress_[i] = law.curve.progress(after);
    const double new_slope = std::min(law.curve.slope(progress_[i]), -1e-12);
    variance_[i] = variance / square(new_slope);
  }
}

void RunBelief::passed(std::size_t variant, double metric) {
  if (variant != variant_) change_to(variant);
  const VersionLaw& law = setting_->law_of(variant_);
  for (std::size_t i = 0; i < count_; ++i) {
    const double step = law.rate * factor_[i];
    progress_[i] += step;
    variance_[i] += square(step * std::max(law.noise, kNoiseMin));
  }
  weigh(metric);
}

// Measurement in progress: u(y), with the jitter's spread divided by the slope there. Near the
// floor the slope vanishes, and with it what an evaluation says of the progress. Without jitter an
// evaluation shows the progress as it is.
void RunBelief::weigh(double metric) {
  const VersionLaw& law = setting_->law_of(variant_);
  const double shown = std::max(metric, law.curve.lowest());
  const double seen = law.curve.progress(shown);
  const bool exact = !(law.jitter > 0);
  const double slope = exact && stuck_ == 0 ? -1 : std::min(law.curve.slope(seen), -1e-12);
  const double jitter = exact ? 0 : square(law.jitter / slope);
  const double believed = std::max(shown, law.metric_supported);
  double weights = 0, surprise = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    Hypothesis& one = hypotheses_[i];
    const double spread = variance_[i] + jitter;
    const double innovation = seen - progress_[i];
    const double root = std::sqrt(spread);
    const double off = square(innovation) / spread;
    surprise -= one.probability * innovation / root;
    one.probability *= std::exp(-std::min(off, kEvidenceMax) / 2) / root;
    weights += one.probability;
    const double gain = variance_[i] / spread;
    progress_[i] += gain * innovation;
    variance_[i] *= 1 - gain;
    one.metric = exact ? believed : std::max(law.curve.at(progress_[i]), law.metric_supported);
  }
  surprise_ = stuck_ < 1 ? surprise / (1 - stuck_) : 0;
  if (stuck_ > 0) {
    // Densities of the metric, to be compared with those of the progress above.
    const double spread = std::max(kStuckSpread * law.curve.scale, law.jitter);
    const double off = square((metric - law.curve.at(0)) / spread);
    stuck_ *= std::exp(-off / 2) / spread / std::abs(slope);
  }
  const double total = weights + stuck_;
  if (!(total > 0)) return;
  for (Hypothesis& one : std::span(hypotheses_).first(count_)) one.probability /= total;
  stuck_ /= total;
}

double RunBelief::metric() const {
  double sum = 0;
  for (const Hypothesis& one : hypotheses()) sum += one.probability * one.metric;
  return stuck_ < 1 ? sum / (1 - stuck_) : hypotheses_[0].metric;
}

double RunBelief::metric_sd() const {
  if (!(setting_->law_of(variant_).jitter > 0) || !(stuck_ < 1)) return 0;
  const double mean = metric();
  double variance = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    const double slope = setting_->law_of(variant_).curve.slope(progress_[i]);
    variance += hypotheses_[i].probability *
                (square(hypotheses_[i].metric - mean) + square(slope) * variance_[i]);
  }
  return std::sqrt(variance / (1 - stuck_));
}

double RunBelief::effect_mean() const {
  double sum = 0;
  for (const Hypothesis& one : hypotheses()) sum += one.probability * one.effect;
  return stuck_ < 1 ? sum / (1 - stuck_) : 0;
}

double RunBelief::effect_sd() const {
  if (!(stuck_ < 1)) return 0;
  const double mean = effect_mean();
  double variance = 0;
  for (const Hypothesis& one : hypotheses()) {
    variance += one.probability * square(one.effect - mean);
  }
  return std::sqrt(variance / (1 - stuck_));
}

}  // namespace surety::plan
