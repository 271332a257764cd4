#include "plan/belief/counts.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <set>

#include "base/check.h"
#include "base/statistics.h"
#include "plan/belief/stop_metric.h"

namespace surety::plan {
namespace {

// Share of the stake on "all are good"; the rest is spread evenly over (q, 1).
constexpr double kAllGood = 0.9;

// log of the integral of r^good (1 - r)^failed over (q, 1). It is the beta function times the upper
// tail, and that tail is the one of a binomial with good + failed + 1 trials.
double log_tail(double q, std::uint32_t good, std::uint32_t failed) {
  const double trials = static_cast<double>(good) + failed + 1;
  double tail = -std::numeric_limits<double>::infinity();
  for (std::uint32_t j = 0; j <= good; ++j) {
    const double ways =
        std::lgamma(trials + 1) - std::lgamma(j + 1.0) - std::lgamma(trials - j + 1);
    tail = log_of_sum(tail, ways + j * std::log(q) + (trials - j) * std::log1p(-q));
  }
  const double beta =
      std::lgamma(good + 1.0) + std::lgamma(failed + 1.0) - std::lgamma(good + failed + 2.0);
  return beta + tail;
}

double log_evidence(double q, std::uint32_t good, std::uint32_t failed) {
  const double spread = std::log(1 - kAllGood) + log_tail(q, good, failed) - good * std::log(q) -
                        (failed + 1.0) * std::log1p(-q);
  return failed > 0 ? spread : log_of_sum(std::log(kAllGood) - good * std::log(q), spread);
}

// Number of passes after which the attempt would have stopped. None if it would not.
std::optional<std::size_t> stopped_after(const CountedAttempt& attempt, const CountedGoal& goal) {
  Fall fall(std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < attempt.metrics.size(); ++i) {
    fall.on_pass(attempt.metrics[i]);
    const double enough =
        stop_metric(goal.target, goal.probability, attempt.metric_se, fall.is_steady());
    if (attempt.metrics[i] <= enough) return i + 1;
  }
  return std::nullopt;
}

}  // namespace

void CountedAttempt::observe(std::uint32_t passes, double metric, double se) {
  SURETY_CHECK(passes > 0);
  metrics.resize(std::min<std::size_t>(metrics.size(), passes - 1));
  metrics.push_back(std::max(metric, 0.0));
  metric_se = se;
}

Counts count(std::span<const CountedAttempt> attempts, const std::string& version,
             const CountedGoal& goal, std::uint32_t after, std::uint32_t allotted) {
  Counts counts;
  std::set<std::uint64_t> seeds;
  for (const CountedAttempt& attempt : attempts) {
    if (attempt.version != version || !seeds.insert(attempt.seed).second) continue;
    const std::optional<std::size_t> passes = stopped_after(attempt, goal);
    if (passes && *passes <= after) continue;
    const bool good = passes && *passes <= allotted && attempt.confirmed;
    const bool had_all = attempt.metrics.size() >= allotted || passes;
    ++(good ? counts.good : counts.failed);
    if (!good && had_all) ++counts.hopeless;
  }
  return counts;
}

double good_share(std::uint32_t good, std::uint32_t failed, double confidence) {
  SURETY_CHECK(confidence > 0 && confidence < 1);
  if (good == 0) return 0;
  const double enough = -std::log1p(-confidence);
  double low = 1e-12;
  double high = 1 - 1e-12;
  if (log_evidence(low, good, failed) < enough) return 0;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (log_evidence(middle, good, failed) >= enough ? low : high) = middle;
  }
  return low;
}

double one_is_good(double share, std::uint32_t attempts, double alike) {
  SURETY_CHECK(share >= 0 && share <= 1 && alike >= 0 && alike < 1);
  // Polya's urn: the numbers of good and failed attempts follow a beta distribution with mean
  // `share`.
  double all_fail = 1;
  for (std::uint32_t i = 0; i < attempts; ++i) {
    all_fail *= ((1 - share) * (1 - alike) + i * alike) / ((1 - alike) + i * alike);
  }
  return 1 - all_fail;
}

}  // namespace surety::plan
