#include "plan/pool/few_samples.h"

#include <fmt/format.h>

#include <cmath>

#include "base/check.h"
#include "base/statistics.h"
#include "base/words.h"
#include "plan/belief/stop_metric.h"
#include "plan/words.h"

namespace surety::plan {
namespace {

// Shares of the target. With the default examples the margin is a tenth of the target, and it costs
// one or two passes. A margin of a quarter may cost more passes than the target itself.
constexpr double kWideMargin = 0.25;
constexpr double kGoodMargin = 0.1;

// By how much a model must be better than the target; more than the target if none can be. A better
// accuracy has a smaller standard error, so it needs a smaller margin.
double margin_of(const DecidingEvaluation& seen) {
  const auto margin = [&](double se) {
    return seen.target - stop_metric(seen.target, seen.probability, se, true);
  };
  if (seen.metric != Metric::kAccuracy) return margin(seen.se);
  const double samples = static_cast<double>(seen.samples);
  for (double wrong = std::floor(seen.target * samples); wrong >= 0; --wrong) {
    const double share = wrong / samples;
    if (share <= seen.target - margin(share_se(share, samples))) return seen.target - share;
  }
  return margin(share_se(0, samples));
}

}  // namespace

std::optional<std::string> few_samples_words(const DecidingEvaluation& seen) {
  SURETY_CHECK(seen.samples > 0);
  if (seen.metric == Metric::kDualityGap || !(seen.target > 0)) return std::nullopt;
  if (seen.metric == Metric::kAccuracy && seen.target >= 1) return std::nullopt;
  const double margin = margin_of(seen);
  if (!(margin > kWideMargin * seen.target)) return std::nullopt;
  const bool is_near = seen.metric == Metric::kAccuracy || seen.value <= seen.target + margin;
  if (!is_near) return std::nullopt;
  const double good = kGoodMargin * seen.target;
  const double needed = 2 * static_cast<double>(seen.samples) * std::pow(margin / good, 2);
  constexpr double kSensible = 1e7;  // Users can hardly get more samples than this.
  const std::string advice =
      needed > kSensible
          ? ""
          : fmt::format("; with about {:.0f} validation samples in all, {:.2g} would do",
                        digits_up(needed, 2), good);
  return fmt::format(
      "only {} validation samples decide when to stop, and about as many certify the result: to be "
      "certified with a probability of at least {}, the {} must be better than the target by "
      "{:.2g}{}{}",
      seen.samples, chosen_percent((1 + seen.probability) / 2), metric_words(seen.metric), margin,
      margin > seen.target ? ", but no model can be that good" : "", advice);
}

}  // namespace surety::plan
