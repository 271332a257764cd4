#include "plan/profile_fit.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/check.h"
#include "plan/curve_fit.h"
#include "plan/statistics.h"
#include "plan/time_model.h"

namespace surety::plan {
namespace {

constexpr double kNoiseMax = 3;      // Of a pass, relative: beyond it the curve is no curve.
constexpr double kRunEffectMax = 1;  // Runs that differ by a factor e^1 each way cannot be planned.

using Curves = std::map<std::uint32_t, std::vector<FitPoint>>;  // By seed, passes ascending.

Curves curves_of(std::span<const CurvePoint> points) {
  Curves curves;
  for (const CurvePoint& point : points) {
    curves[point.seed].push_back({static_cast<double>(point.pass), point.metric, point.metric_se});
  }
  for (auto& [seed, curve] : curves) {
    std::sort(curve.begin(), curve.end(),
              [](const FitPoint& a, const FitPoint& b) { return a.passes < b.passes; });
  }
  return curves;
}

std::vector<FitPoint> median_curve(const Curves& curves) {
  std::map<double, std::vector<double>> metrics, errors;
  for (const auto& [seed, curve] : curves) {
    for (const FitPoint& point : curve) {
      metrics[point.passes].push_back(point.metric);
      errors[point.passes].push_back(point.se);
    }
  }
  std::vector<FitPoint> result;
  for (const auto& [passes, values] : metrics) {
    result.push_back({passes, median(values), median(errors[passes])});
  }
  return result;
}

// Variance of one pass's progress, relative to the rate, by moments over the increments of
// u(x) - u(expected): an increment over d passes has variance d noise^2, plus that of two
// evaluations. Increments where the curve is too flat to tell progress weigh little. The
// evaluations' variance is not subtracted: they share their samples, so it mostly cancels already.
struct NoiseSums {
  double squares = 0, weights = 0;
};

NoiseSums noise_sums(const Curve& curve, double rate, const std::vector<FitPoint>& points) {
  static constexpr double kUsual = 0.1;  // Variance of a pass that the weights are made for.
  NoiseSums sums;
  double before = 0, before_variance = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double expected = rate * points[i].passes;
    const double step = 1e-4 * std::max(rate, 1e-9);
    const double slope = (curve.at(expected + step) - curve.at(expected)) / step;
    if (!(slope < 0)) continue;
    const double deviation = (points[i].metric - curve.at(expected)) / slope / rate;
    const double variance = std::pow(points[i].se / slope / rate, 2);
    if (i > 0) {
      const double passes = points[i].passes - points[i - 1].passes;
      const double spread = passes * kUsual + variance + before_variance;
      const double weight = 1 / (spread * spread);
      sums.squares += weight * std::pow(deviation - before, 2);
      sums.weights += weight * passes;
    }
    before = deviation;
    before_variance = variance;
  }
  return sums;
}

double fit_noise(const Curve& curve, double rate, const Curves& curves,
                 const std::map<std::uint32_t, double>& log_rates, double fallback) {
  NoiseSums total;
  std::size_t increments = 0;
  for (const auto& [seed, points] : curves) {
    const NoiseSums sums = noise_sums(curve, rate * std::exp(log_rates.at(seed)), points);
    total.squares += sums.squares;
    total.weights += sums.weights;
    increments += points.size() - 1;
  }
  // Each seed's rate was fitted to the same increments, and the curve has three more parameters.
  const double degrees = static_cast<double>(increments) - static_cast<double>(curves.size()) - 2;
  if (degrees < 1 || total.weights <= 0) return fallback;
  const double inflation = static_cast<double>(increments) / degrees;
  return std::min(std::sqrt(inflation * total.squares / total.weights), kNoiseMax);
}

SwitchLaw fit_switch(const std::string& from, const std::string& to, const Profile& profile,
                     const FitOptions& options) {
  std::vector<double> jumps, seconds, all_seconds;
  for (const SwitchPoint& point : profile.switches) {
    all_seconds.push_back(point.seconds);
    if (point.from != from || point.to != to) continue;
    seconds.push_back(point.seconds);
    if (point.metric_before > 0 && point.metric_after > 0) {
      jumps.push_back(std::log(point.metric_after / point.metric_before));
    }
  }
  SwitchLaw law;
  law.measured = !jumps.empty();
  law.log_mean = law.measured ? mean(jumps) : options.jump_default;
  law.log_sd = jumps.size() >= 2 ? std::sqrt(variance(jumps)) : options.jump_sd_default;
  if (!seconds.empty()) {
    law.seconds = median(seconds);
  } else if (!all_seconds.empty()) {
    law.seconds = quantile(all_seconds, 1);
  }
  return law;
}

struct RunEffects {
  double squares = 0, degrees = 0;  // Of the log rates, around each version's mean.
  double error_sum = 0;             // Their variance due to single passes, weighted by degrees.
  std::map<std::uint32_t, std::vector<double>> by_seed;
};

void add_effects(const std::map<std::uint32_t, double>& log_rates, double noise, double passes_max,
                 RunEffects& effects) {
  std::vector<double> rates;
  for (const auto& [seed, rate] : log_rates) {
    rates.push_back(rate);
    effects.by_seed[seed].push_back(rate);
  }
  const double degrees = static_cast<double>(rates.size()) - 1;
  effects.squares += degrees * variance(rates);
  effects.degrees += degrees;
  effects.error_sum += degrees * noise * noise / passes_max;
}

void finish_effects(const RunEffects& effects, const FitOptions& options, Laws& laws) {
  for (const auto& [seed, rates] : effects.by_seed) laws.seed_effects[seed] = mean(rates);
  if (effects.degrees < 1) {
    laws.effect_variance = options.run_effect_alone * options.run_effect_alone;
    laws.run_effect = options.run_effect_alone;
    return;
  }
  laws.effect_variance = effects.squares / effects.degrees;
  laws.effect_error = effects.error_sum / effects.degrees;
  laws.run_effect =
      std::min(std::sqrt(std::max(laws.effect_variance - laws.effect_error, 0.0)), kRunEffectMax);
}

VersionLaw fit_version(const std::string& version, std::span<const CurvePoint> points,
                       const FitOptions& options, RunEffects& effects) {
  const Curves curves = curves_of(points);
  const std::vector<FitPoint> centre = median_curve(curves);
  const CurveFit fit = fit_curve(centre, options.floor_zero);
  std::map<std::uint32_t, double> log_rates;
  for (const auto& [seed, curve] : curves) {
    log_rates[seed] = fit_log_rate(fit.curve, fit.rate, curve);
  }
  VersionLaw law;
  law.version = version;
  law.curve = fit.curve;
  law.rate = fit.rate;
  law.fit_error = fit.error;
  law.noise = fit_noise(fit.curve, fit.rate, curves, log_rates, options.noise_default);
  law.time = fit_pass_time(points);
  law.metric_min = points[0].metric;
  for (const CurvePoint& point : points) law.metric_min = std::min(law.metric_min, point.metric);
  add_effects(log_rates, law.noise, std::max(centre.back().passes, 1.0), effects);
  return law;
}

}  // namespace

Laws fit_laws(const std::vector<std::string>& versions, const Profile& profile, double fraction,
              const FitOptions& options) {
  Laws laws;
  laws.data_fraction = fraction;
  RunEffects effects;
  for (const std::string& version : versions) {
    std::vector<CurvePoint> points;
    for (const CurvePoint& point : profile.curves) {
      if (point.version == version && point.data_fraction == fraction) points.push_back(point);
    }
    SURETY_CHECK(!points.empty());
    laws.versions.push_back(fit_version(version, points, options, effects));
  }
  finish_effects(effects, options, laws);
  for (const std::string& from : versions) {
    auto& row = laws.switches.emplace_back();
    for (const std::string& to : versions) row.push_back(fit_switch(from, to, profile, options));
  }
  return laws;
}

double evaluation_se(const Profile& profile, double metric) {
  std::vector<std::pair<double, double>> by_distance;
  for (const CurvePoint& point : profile.curves) {
    by_distance.emplace_back(std::abs(point.metric - metric), point.metric_se);
  }
  SURETY_CHECK(!by_distance.empty());
  std::sort(by_distance.begin(), by_distance.end());
  const std::size_t count = (by_distance.size() + 3) / 4;
  std::vector<double> errors;
  for (std::size_t i = 0; i < count; ++i) errors.push_back(by_distance[i].second);
  return median(errors);
}

}  // namespace surety::plan
