#include "plan/laws/profile_fit.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "base/check.h"
#include "base/statistics.h"
#include "plan/laws/course_fit.h"
#include "plan/laws/curve_fit.h"
#include "plan/laws/run_rate.h"
#include "plan/laws/time_model.h"

namespace surety::plan {
namespace {

constexpr double kNoiseMax = 3;  // Relative noise of a pass; above it the points are no curve.
// Error of the median of normals, relative to that of their mean.
constexpr double kMedianError = 1.2533;
// With a larger effect (a factor e^1 each way) no plan is possible.
constexpr double kRunEffectMax = 1;

std::vector<FitPoint> fit_points(const ProfileRun& run) {
  std::vector<FitPoint> points;
  for (const CurvePoint& point : run.points) {
    points.push_back({static_cast<double>(point.pass), point.metric, point.metric_se});
  }
  return points;
}

// Distances of the points from the run's own course, in units of the metric.
std::vector<double> residuals_of(const Curve& curve, double rate,
                                 const std::vector<FitPoint>& points) {
  std::vector<double> residuals;
  for (const FitPoint& point : points) {
    residuals.push_back(point.metric - curve.at(rate * point.passes));
  }
  return residuals;
}

// Jitter is what the next evaluation reverses: increments of the residuals have the lag-1
// covariance -jitter^2. The noise of passes stays in later points, so it has no such covariance.
// Only the second half of each run is used, where a pass changes the metric little. The result
// counts only if it is significant and comes from enough increments. The jitter belongs to the
// checkpoint, not to the evaluation: in our trainings of MNIST and CIFAR-10 two disjoint splits
// show the same residuals (correlation 0.98 to 0.99).
double fit_jitter(const CurveFit& fit, const Runs& runs, const std::vector<double>& log_rates) {
  static constexpr std::size_t kProductsMin = 12;
  static constexpr double kChanceSds = 2.5;
  std::vector<double> products;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::vector<double> residuals =
        residuals_of(fit.curve, fit.rate * std::exp(log_rates[i]), fit_points(*runs[i]));
    for (std::size_t k = residuals.size() / 2 + 1; k + 1 < residuals.size(); ++k) {
      products.push_back((residuals[k] - residuals[k - 1]) * (residuals[k + 1] - residuals[k]));
    }
  }
  if (products.size() < kProductsMin) return 0;
  const double taken_back = -mean(products);
  const double error = std::sqrt(variance(products) / static_cast<double>(products.size()));
  return taken_back > kChanceSds * error ? std::sqrt(taken_back) : 0;
}

// Variance of one pass's progress, relative to the rate, from moments of the increments of u(x) -
// u(expected). An increment over d passes has the variance d noise^2, plus that of the jitter of
// two evaluations. Increments on a nearly flat part of the curve have little weight. The
// evaluations' own variance is not subtracted: they share their samples, so it mostly cancels.
struct NoiseSums {
  double squares = 0;
  double weights = 0;
};

NoiseSums noise_sums(const Curve& curve, double rate, double jitter,
                     const std::vector<FitPoint>& points) {
  static constexpr double kUsual = 0.1;  // Variance of a pass for which the weights are best.
  // Where the curve is so flat that the metric says nothing about the progress, squares of these
  // numbers of passes could overflow.
  static constexpr double kPassesMax = 1e50;
  NoiseSums sums;
  std::optional<double> before_passes;  // The last point that counted.
  double before = 0;
  double before_variance = 0;
  double before_jitter = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double expected = rate * points[i].passes;
    const double slope = curve.slope(expected);
    if (!(slope < 0)) continue;
    const double deviation =
        (progress_seen(curve, rate, expected, points[i].metric) - expected) / rate;
    const double variance = std::pow(points[i].se / slope / rate, 2);
    const double jitters = std::pow(jitter / slope / rate, 2);
    if (!(std::max({std::abs(deviation), variance, jitters}) < kPassesMax)) continue;
    if (before_passes) {
      const double passes = points[i].passes - *before_passes;
      const double spread = passes * kUsual + variance + before_variance + jitters + before_jitter;
      const double weight = 1 / (spread * spread);
      sums.squares += weight * (std::pow(deviation - before, 2) - jitters - before_jitter);
      sums.weights += weight * passes;
    }
    before_passes = points[i].passes;
    before = deviation;
    before_variance = variance;
    before_jitter = jitters;
  }
  return sums;
}

double fit_noise(const CurveFit& fit, const Runs& runs, const std::vector<double>& log_rates,
                 double jitter, double fallback) {
  NoiseSums total;
  std::size_t increments = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::vector<FitPoint> points = fit_points(*runs[i]);
    const NoiseSums sums = noise_sums(fit.curve, fit.rate * std::exp(log_rates[i]), jitter, points);
    total.squares += sums.squares;
    total.weights += sums.weights;
    increments += points.size() - 1;
  }
  // Each seed's rate was fitted to these increments, and the curve has three more parameters.
  const double degrees = static_cast<double>(increments) - static_cast<double>(runs.size()) - 2;
  if (degrees < 1 || total.weights <= 0) return fallback;
  const double inflation = static_cast<double>(increments) / degrees;
  const double squares = std::max(total.squares, 0.0);
  return std::min(std::sqrt(inflation * squares / total.weights), kNoiseMax);
}

// The metric at which the new version would have started, if its own course leads to the measured
// metric.
double metric_at_change(const SwitchPoint& point, const VersionLaw& law) {
  if (point.passes_after == 0) return point.metric_after;
  const double reached = law.curve.progress(std::max(point.metric_after, law.curve.lowest()));
  return law.curve.at(std::max(reached - point.passes_after * law.rate, 0.0));
}

SwitchLaw fit_switch(const std::string& from, const VersionLaw& to,
                     const std::vector<SwitchPoint>& switches, const FitOptions& options) {
  std::vector<double> jumps;
  std::vector<double> seconds;
  std::vector<double> all_seconds;
  for (const SwitchPoint& point : switches) {
    all_seconds.push_back(point.seconds);
    if (point.from != from || point.to != to.version) continue;
    seconds.push_back(point.seconds);
    const double after = metric_at_change(point, to);
    if (point.metric_before > 0 && after > 0)
      jumps.push_back(std::log(after / point.metric_before));
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
  double squares = 0;       // Sum of squares of the log rates around each law's mean.
  double degrees = 0;       // Degrees of freedom of this sum.
  double slow_squares = 0;  // The same, with the slower half used for both sides.
  double error_sum = 0;     // Variances due to single passes, weighted by degrees of freedom.
  // Log rates by seed; none if no run of the seed shows its rate.
  std::map<std::uint32_t, std::vector<double>> by_seed;
};

// Results of fit_run_rate() for the runs, by index.
struct RunRates {
  std::vector<double> logs;
  // None for a run whose points do not show its rate.
  std::vector<std::optional<double>> variances;
};

// The mean log rate of the runs whose points show their rate; 0 if there is none.
double centre_of(const RunRates& rates) {
  std::vector<double> known;
  for (std::size_t i = 0; i < rates.logs.size(); ++i) {
    if (rates.variances[i]) known.push_back(rates.logs[i]);
  }
  return known.empty() ? 0 : mean(known);
}

RunRates run_rates(const Runs& runs, const VersionLaw& law, const std::vector<double>& starts) {
  RunRates rates;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const RunRate found = fit_run_rate(law, fit_points(*runs[i]), starts[i]);
    rates.logs.push_back(found.log);
    rates.variances.push_back(found.variance);
  }
  return rates;
}

void add_effects(const Runs& runs, const RunRates& rates, RunEffects& effects) {
  std::vector<double> logs;
  std::vector<double> variances;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    std::vector<double>& of_seed = effects.by_seed[runs[i]->seed];
    if (!rates.variances[i]) continue;
    of_seed.push_back(rates.logs[i]);
    logs.push_back(rates.logs[i]);
    variances.push_back(*rates.variances[i]);
  }
  if (logs.empty()) return;
  const double degrees = static_cast<double>(logs.size()) - 1;
  effects.squares += degrees * variance(logs);
  effects.slow_squares += degrees * variance_below(logs);
  effects.degrees += degrees;
  effects.error_sum += degrees * mean(variances);
}

void finish_effects(const RunEffects& effects, const FitOptions& options, Laws& laws) {
  for (const auto& [seed, rates] : effects.by_seed) {
    laws.seed_effects[seed] = rates.empty() ? 0 : mean(rates);
  }
  if (effects.degrees < 1) {
    laws.effect_variance = options.run_effect_alone * options.run_effect_alone;
    laws.run_effect = options.run_effect_alone;
    return;
  }
  // Slow runs are the ones that miss promises. If a few runs learn slowly, a normal distribution
  // with the variance of all runs contains too few of them.
  laws.effect_variance = std::max(effects.squares, effects.slow_squares) / effects.degrees;
  laws.effect_error = effects.error_sum / effects.degrees;
  laws.run_effect =
      std::min(std::sqrt(std::max(laws.effect_variance - laws.effect_error, 0.0)), kRunEffectMax);
}

std::optional<CurveFit> near_fit(const ProfileRun& run, const FitOptions& options) {
  if (options.near == nullptr) return std::nullopt;
  for (const VersionLaw& law : options.near->versions) {
    if (law.version == run.version && law.workers == run.workers)
      return CurveFit{law.curve, law.rate};
  }
  return std::nullopt;
}

// The noise is measured around each run's own rate, and the rates are weighted by the noise. So
// both are fitted in turns, starting from least squares. Finally the law's rate is set to that of
// the mean run, which is known better than that of the median curve if runs differ; the run rates
// are relative to it.
RunRates fit_rates(const CurveFit& fit, const Runs& runs, const FitOptions& options,
                   VersionLaw& law) {
  static constexpr int kTurns = 2;
  law.curve = fit.curve;
  law.rate = fit.rate;
  RunRates rates;
  for (const ProfileRun* run : runs) {
    rates.logs.push_back(fit_log_rate(fit.curve, fit.rate, fit_points(*run)));
  }
  law.jitter = fit_jitter(fit, runs, rates.logs);
  for (int i = 0; i < kTurns; ++i) {
    law.noise = fit_noise(fit, runs, rates.logs, law.jitter, options.noise_default);
    rates = run_rates(runs, law, rates.logs);
  }
  const double centre = centre_of(rates);
  law.rate *= std::exp(centre);
  for (double& log_rate : rates.logs) log_rate -= centre;
  return rates;
}

VersionLaw fit_version(const Runs& all, const FitOptions& options, RunEffects& effects) {
  const Runs runs = not_stuck(all);
  const std::vector<FitPoint> centre = median_curve(runs);
  std::optional<CurveFit> near = near_fit(*runs[0], options);
  const CurveFit first = fit_curve(centre, options.floor_max, near ? &*near : nullptr);
  VersionLaw law;
  law.version = runs[0]->version;
  law.workers = runs[0]->workers;
  // For the noise, which determines the weights of the curve.
  (void)fit_rates(first, runs, options, law);
  const double share = kMedianError / std::sqrt(static_cast<double>(runs.size()));
  // Points that no law fits are also not the course of a law.
  const CurveFit fit =
      first.error > kFitErrorMax
          ? first
          : fit_course(first, centre, share * law.noise, share * law.jitter, options.floor_max);
  const RunRates rates = fit_rates(fit, runs, options, law);
  law.fit_error = fit.error;
  law.time = fit_pass_time(all);
  law.passes = static_cast<std::uint32_t>(centre.back().passes);
  law.metric_min = centre.back().metric;
  for (const ProfileRun* run : runs) {
    for (const CurvePoint& point : run->points) {
      law.metric_min = std::min(law.metric_min, point.metric);
    }
  }
  law.metric_supported = law.metric_min;
  if (fit.error <= kFitErrorMax) {
    const double farthest = fit.curve.at(kExtrapolation * law.passes * fit.rate);
    law.metric_supported = std::min(law.metric_min, farthest);
  }
  law.seeds = static_cast<std::uint32_t>(all.size());
  law.stuck_seeds = static_cast<std::uint32_t>(all.size() - runs.size());
  if (law.stuck_seeds > 0) law.stuck_share = (law.stuck_seeds + 0.5) / (law.seeds + 1.0);
  add_effects(runs, rates, effects);
  return law;
}

}  // namespace

std::map<std::uint32_t, Runs> runs_by_workers(const std::vector<ProfileRun>& runs,
                                              const std::string& version, double fraction) {
  std::map<std::uint32_t, Runs> result;
  for (const ProfileRun& run : runs) {
    if (run.version == version && run.data_fraction == fraction) {
      result[run.workers].push_back(&run);
    }
  }
  return result;
}

std::vector<FitPoint> median_curve(const Runs& runs) {
  std::map<double, std::vector<double>> metrics;
  std::map<double, std::vector<double>> errors;
  for (const ProfileRun* run : runs) {
    for (const FitPoint& point : fit_points(*run)) {
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

Runs not_stuck(const Runs& runs) {
  const std::vector<bool> stuck = stuck_runs(runs);
  Runs result;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!stuck[i]) result.push_back(runs[i]);
  }
  return result;
}

Laws fit_laws(const std::vector<std::string>& versions, const std::vector<ProfileRun>& runs,
              const std::vector<SwitchPoint>& switches, double fraction,
              const FitOptions& options) {
  Laws laws;
  laws.data_fraction = fraction;
  RunEffects effects;
  for (std::size_t rank = 0; rank < versions.size(); ++rank) {
    const auto by_workers = runs_by_workers(runs, versions[rank], fraction);
    SURETY_CHECK(!by_workers.empty());
    for (const auto& [workers, same] : by_workers) {
      laws.versions.push_back(fit_version(same, options, effects));
      laws.versions.back().rank = rank;
    }
  }
  finish_effects(effects, options, laws);
  for (const std::string& from : versions) {
    auto& row = laws.switches.emplace_back();
    for (const std::string& to : versions) {
      const auto law = std::ranges::find(laws.versions, to, &VersionLaw::version);
      row.push_back(fit_switch(from, *law, switches, options));
    }
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
