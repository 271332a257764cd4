#include "plan/laws/time_model.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "base/check.h"
#include "base/statistics.h"

namespace surety::plan {
namespace {

constexpr double kSecondsMin = 1e-6;  // A clock may report 0, but a pass takes some time.
// A factor of 4.5; a larger spread means that the clock was wrong.
constexpr double kLogSdMax = 1.5;

// If more preemptions than this are expected in a pass, their number is taken as normal, corrected
// for skewness; the error is less than one of 64. Otherwise it is computed exactly, in that many
// steps.
constexpr double kPreemptionsExact = 64;

// For duration_pmf(): cells of both logarithmic histograms together, and the part of each tail that
// is put into the last cells. Twice the cells take four times the time and have a quarter of the
// error (1e-4 of the mean at spreads of 0.5).
constexpr double kCells = 256;
constexpr double kTail = 5e-8;

double normal_density(double z) { return std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi); }

// u-quantile of the largest of n normals, from Phi(z)^n = u.
double largest_quantile(double u, std::uint32_t n) {
  // Close to 1, u^(1/n) may round to 1.
  return normal_quantile(std::min(std::pow(u, 1.0 / n), 1 - 0x1p-53));
}

double many_preemptions(double mean, double z) {
  // Cornish-Fisher expansion, skewness mean^-1/2.
  return mean + std::sqrt(mean) * z + (z * z - 1) / 6;
}

double poisson_quantile(double mean, double u) {
  if (mean > kPreemptionsExact) return many_preemptions(mean, normal_quantile(u));
  double chance = std::exp(-mean);
  double sum = chance;
  double count = 0;
  while (sum < u && chance > 0) {
    count += 1;
    chance *= mean / count;
    sum += chance;
  }
  return count;
}

// Chances of the equally wide cells of a logarithm. `first` is the middle of the first cell.
struct LogHistogram {
  double first = 0;
  std::vector<double> chances;
};

// Width of the logarithm's range between the tails.
double reach(double sd, std::uint32_t n) {
  return sd * (largest_quantile(1 - kTail, n) - largest_quantile(kTail, n));
}

// Histogram of sd times the largest of n normals.
LogHistogram largest_histogram(double sd, std::uint32_t n, double width) {
  if (sd == 0) return {0, {1}};
  const double low = sd * largest_quantile(kTail, n);
  const auto cells = static_cast<std::size_t>(std::ceil(reach(sd, n) / width));
  LogHistogram result{low + width / 2, std::vector<double>(std::max<std::size_t>(cells, 1))};
  double before = 0;
  for (std::size_t i = 0; i < result.chances.size(); ++i) {
    const double edge = (low + static_cast<double>(i + 1) * width) / sd;
    const bool last = i + 1 == result.chances.size();
    const double until = last ? 1 : std::pow(normal_probability(edge), n);
    result.chances[i] = until - before;
    before = until;
  }
  return result;
}

// Histogram of the sum of two independent logarithms. O(cells of a * cells of b).
LogHistogram convolve(const LogHistogram& a, const LogHistogram& b) {
  LogHistogram sum{a.first + b.first, std::vector<double>(a.chances.size() + b.chances.size() - 1)};
  for (std::size_t i = 0; i < a.chances.size(); ++i) {
    for (std::size_t j = 0; j < b.chances.size(); ++j) {
      sum.chances[i + j] += a.chances[i] * b.chances[j];
    }
  }
  return sum;
}

// Collects chances of durations into chances of whole ticks.
class TickPmf {
 public:
  TickPmf(const PassDuration& duration, double tick_s, std::uint32_t ticks_max)
      : rate_per_tick_(duration.preemptions_per_s * tick_s),
        restart_ticks_(duration.restart_s / tick_s),
        ticks_max_(ticks_max),
        chances_(ticks_max + std::size_t{1}) {}

  // Adds a pass that takes `ticks` without preemptions.
  void add_pass(double ticks, double chance) {
    const double mean = rate_per_tick_ * ticks;
    if (mean == 0 || restart_ticks_ == 0) return add(ticks, chance);
    if (mean > kPreemptionsExact) return add_many(ticks, mean, chance);
    double preempted = chance * std::exp(-mean);
    double left = chance;
    for (double count = 0; left > kTail * chance && ticks <= limit(); ticks += restart_ticks_) {
      add(ticks, preempted);
      left -= preempted;
      count += 1;
      preempted *= mean / count;
    }
  }
  [[nodiscard]] double limit() const { return ticks_max_ + 1.0; }
  [[nodiscard]] std::vector<double> take() && { return std::move(chances_); }

 private:
  void add_many(double ticks, double mean, double chance) {
    static constexpr double kStep = 0.25;
    static constexpr double kReach = 5;
    for (double z = -kReach; z <= kReach; z += kStep) {
      const double count = many_preemptions(mean, z);
      add(ticks + count * restart_ticks_, chance * kStep * normal_density(z));
    }
  }
  void add(double ticks, double chance) {
    ticks = std::max(ticks, 1.0);
    if (!(ticks < limit())) return;
    const auto below = static_cast<std::size_t>(ticks);
    const double share = ticks - static_cast<double>(below);
    chances_[below] += (1 - share) * chance;
    if (below < ticks_max_) chances_[below + 1] += share * chance;
  }

  double rate_per_tick_;
  double restart_ticks_;
  std::uint32_t ticks_max_;
  std::vector<double> chances_;  // Indexed by ticks; filled by add().
};

}  // namespace

PassTime fit_pass_time(const std::vector<const ProfileRun*>& runs) {
  std::vector<double> seconds;
  std::vector<double> evaluations;
  for (const ProfileRun* run : runs) {
    for (const CurvePoint& point : run->points) {
      evaluations.push_back(point.eval_seconds);
      if (point.pass == 0 || point.workers != run->workers) continue;
      seconds.push_back(std::max(point.seconds, kSecondsMin));
    }
  }
  SURETY_CHECK(!seconds.empty());
  PassTime time;
  time.pass_s = median(seconds);
  time.nodes = runs[0]->workers;
  time.eval_s = median(evaluations);
  // The root mean square around the median, because stalled passes are part of the spread.
  double square_sum = 0;
  for (const double s : seconds) square_sum += std::pow(std::log(s / time.pass_s), 2);
  const double degrees = std::max(1.0, static_cast<double>(seconds.size()) - 1);
  time.log_sd = std::min(std::sqrt(square_sum / degrees), kLogSdMax);
  return time;
}

PassTime scaled(PassTime time, double factor) {
  time.pass_s *= factor;
  return time;
}

double slowest_mean(double straggle_sd, std::uint32_t nodes) {
  SURETY_CHECK(nodes > 0 && straggle_sd >= 0);
  if (straggle_sd == 0) return 1;
  if (nodes == 1) return std::exp(straggle_sd * straggle_sd / 2);
  // The density is n phi Phi^(n-1). The largest of 4096 normals has a standard deviation of 0.27,
  // more than two steps, so the trapezoid rule is exact except for rounding.
  static constexpr double kStep = 0.125;
  static constexpr double kReach = 9;
  const auto steps = static_cast<int>((2 * kReach + straggle_sd) / kStep);
  double sum = 0;
  for (int i = 0; i <= steps; ++i) {
    const double z = -kReach + i * kStep;
    sum += normal_density(z) * std::pow(normal_probability(z), nodes - 1.0) *
           std::exp(straggle_sd * z);
  }
  return nodes * kStep * sum;
}

double PassDuration::mean_s(double slowest) const {
  const double own_s = median_s * std::exp(log_sd * log_sd / 2) * slowest + eval_s;
  return own_s * (1 + preemptions_per_s * restart_s);
}

PassDuration pass_duration(const VersionLaw& law, const Variant& variant) {
  SURETY_CHECK(variant.speed > 0 && variant.nodes > 0);
  return {.median_s = law.time.pass_s * law.time.nodes / variant.speed,
          .eval_s = law.time.eval_s,
          .log_sd = law.time.log_sd,
          .straggle_sd = variant.straggle_sd,
          .nodes = variant.nodes,
          .preemptions_per_s = variant.preemptions_per_s,
          .restart_s = variant.restart_s};
}

double draw_s(const PassDuration& duration, const DurationQuantiles& quantiles) {
  double spread = 0;
  if (duration.log_sd > 0) spread += duration.log_sd * normal_quantile(quantiles.pass);
  if (duration.straggle_sd > 0) {
    spread += duration.straggle_sd * largest_quantile(quantiles.slowest, duration.nodes);
  }
  const double own_s = duration.median_s * std::exp(spread) + duration.eval_s;
  const double preemptions = duration.preemptions_per_s * own_s;
  if (preemptions == 0) return own_s;
  return own_s + duration.restart_s * poisson_quantile(preemptions, quantiles.preemptions);
}

std::vector<double> duration_pmf(const PassDuration& duration, double tick_s,
                                 std::uint32_t ticks_max) {
  SURETY_CHECK(tick_s > 0 && ticks_max > 0);
  const double width =
      (reach(duration.log_sd, 1) + reach(duration.straggle_sd, duration.nodes)) / kCells;
  const LogHistogram spread =
      convolve(largest_histogram(duration.log_sd, 1, width),
               largest_histogram(duration.straggle_sd, duration.nodes, width));
  TickPmf pmf(duration, tick_s, ticks_max);
  const double eval_ticks = duration.eval_s / tick_s;
  for (std::size_t i = 0; i < spread.chances.size(); ++i) {
    const double log = spread.first + static_cast<double>(i) * width;
    const double ticks = duration.median_s / tick_s * std::exp(log);
    if (ticks * std::exp(-width) + eval_ticks > pmf.limit()) break;
    // A cell wider than half a tick would skip ticks, so it is spread over its width.
    const double pieces = std::ceil(std::max(2 * ticks * width, 1.0));
    for (double piece = 0.5; piece < pieces; ++piece) {
      const double at = ticks * std::exp(width * (piece / pieces - 0.5));
      pmf.add_pass(at + eval_ticks, spread.chances[i] / pieces);
    }
  }
  return std::move(pmf).take();
}

}  // namespace surety::plan
