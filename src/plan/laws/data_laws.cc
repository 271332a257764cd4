#include "plan/laws/data_laws.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "plan/laws/time_model.h"

namespace surety::plan {
namespace {

// Position between the two fractions: 0 at the smaller one, 1 at the larger.
struct Between {
  double logarithmic = 0;  // Used for how versions learn.
  double linear = 0;       // Used for the time that samples take.
};

double mixed(double less, double more, double share) { return less + share * (more - less); }

// Interpolates positive values by their logarithms.
double mixed_log(double less, double more, double share) {
  return less * std::pow(more / less, share);
}

double inverse_exponent(const Curve& curve) {
  return curve.shape == Shape::kExponential ? 0 : 1 / curve.exponent;
}

// Progress at which half of the distance to the floor remains.
double half_progress(const Curve& curve) { return curve.progress(curve.floor + curve.scale / 2); }

Curve mixed_curve(const Curve& less, const Curve& more, double share) {
  static constexpr double kGeometric = 1e-6;  // Least 1 / exponent; below it powers lose digits.
  const double inverse = mixed(inverse_exponent(less), inverse_exponent(more), share);
  Curve curve;
  curve.shape = inverse < kGeometric ? Shape::kExponential : Shape::kPower;
  if (curve.shape == Shape::kPower) curve.exponent = 1 / inverse;
  curve.floor = mixed(less.floor, more.floor, share);
  curve.scale = mixed(less.scale, more.scale, share);
  return curve;
}

PassTime mixed_time(const PassTime& less, const PassTime& more, double share) {
  // Both have the same number of nodes, since they belong to the same law.
  return {mixed(less.pass_s, more.pass_s, share), less.nodes,
          mixed(less.eval_s, more.eval_s, share), mixed(less.log_sd, more.log_sd, share)};
}

VersionLaw mixed_law(const VersionLaw& less, const VersionLaw& more, const Between& at) {
  const double share = at.logarithmic;
  VersionLaw law = less;
  law.curve = mixed_curve(less.curve, more.curve, share);
  const double half_passes = mixed_log(half_progress(less.curve) / less.rate,
                                       half_progress(more.curve) / more.rate, share);
  law.rate = half_progress(law.curve) / half_passes;
  law.noise = mixed(less.noise, more.noise, share);
  law.fit_error = std::max(less.fit_error, more.fit_error);
  law.metric_min = std::max(less.metric_min, more.metric_min);
  law.metric_supported = std::max(less.metric_supported, more.metric_supported);
  law.passes = std::min(less.passes, more.passes);
  const VersionLaw& stuck = less.stuck_share >= more.stuck_share ? less : more;
  law.stuck_share = stuck.stuck_share;
  law.stuck_seeds = stuck.stuck_seeds;
  law.seeds = stuck.stuck_seeds > 0 ? stuck.seeds : std::min(less.seeds, more.seeds);
  law.time = mixed_time(less.time, more.time, at.linear);
  return law;
}

}  // namespace

Laws interpolate(const Laws& less, const Laws& more, double fraction) {
  SURETY_CHECK(less.data_fraction > 0 && less.data_fraction <= fraction);
  SURETY_CHECK(fraction <= more.data_fraction);
  if (fraction == less.data_fraction) return less;
  if (fraction == more.data_fraction) return more;
  const Between at{
      std::log(fraction / less.data_fraction) / std::log(more.data_fraction / less.data_fraction),
      (fraction - less.data_fraction) / (more.data_fraction - less.data_fraction)};
  Laws laws = less;
  laws.data_fraction = fraction;
  for (VersionLaw& law : laws.versions) {
    const auto other = std::ranges::find_if(more.versions, [&](const VersionLaw& candidate) {
      return candidate.version == law.version && candidate.workers == law.workers;
    });
    if (other != more.versions.end()) {
      law = mixed_law(law, *other, at);
    } else {
      law.time = scaled(law.time, fraction / less.data_fraction);
    }
  }
  laws.run_effect = mixed(less.run_effect, more.run_effect, at.logarithmic);
  laws.effect_variance = mixed(less.effect_variance, more.effect_variance, at.logarithmic);
  laws.effect_error = mixed(less.effect_error, more.effect_error, at.logarithmic);
  for (const auto& [seed, effect] : more.seed_effects) {
    const auto [mine, fresh] = laws.seed_effects.try_emplace(seed, effect);
    if (!fresh) mine->second = mixed(mine->second, effect, at.logarithmic);
  }
  return laws;
}

}  // namespace surety::plan
