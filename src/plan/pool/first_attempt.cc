#include "plan/pool/first_attempt.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/statistics.h"
#include "plan/belief/stop_metric.h"

namespace surety::plan {
namespace {

// An earlier attempt is allotted the number of passes after which, by the laws of earlier jobs,
// this share of attempts has reached the target.
constexpr double kAllotted = 0.8;
constexpr double kSlowPass = 0.9;  // Quantile of pass durations for counting how many attempts fit.
constexpr std::size_t kCountedMax = 64;  // Number of first attempts that are kept.

}  // namespace

void FirstAttempt::allot(const PoolRecord& record) {
  const PoolSpec& spec = record.spec();
  if (!knows_same_data(spec)) return;
  const std::vector<CountedAttempt>& attempts = spec.earlier->first_attempts;
  double se = 0;
  for (const CountedAttempt& one : attempts) se = std::max(se, one.metric_se);
  const double target = std::max(stop_metric(spec.target, spec.probability, se), kLeastMetric);
  std::vector<AllottedPasses> allotted;
  // For the largest number of workers of any variant: there, if anything, more passes are needed.
  const double most = record.variants().most_workers_log();
  for (std::uint32_t v = 0; v < spec.versions.size() && !attempts.empty(); ++v) {
    allotted.push_back({spec.version_names[v], passes_to_reach(record.belief(), v, most, target,
                                                               kAllotted, spec.passes_max)});
  }
  counts_ = EarlierCounts(attempts, std::move(allotted), spec.confidence);
}

void FirstAttempt::on_pass(const PoolPass& pass, const PoolSpec& spec) {
  if (pass.attempt != 0) return;
  if (shown_.metrics.empty()) {
    shown_.seed = spec.seed;
    shown_.version = spec.version_names[spec.variants[pass.variant].version];
    variant_ = pass.variant;
  }
  shown_.observe(pass.passes, pass.metric, pass.metric_se);
}

std::optional<OngoingAttempt> FirstAttempt::current_attempt(const PoolRecord& record,
                                                            const PoolMoment& now) const {
  const PoolAttempts& attempts = record.attempts();
  if (attempts.size() != 1 || attempts.current() != 0u || attempts[0].passes == 0)
    return std::nullopt;
  const PoolVariantSpec& variant = record.variants()[variant_];
  double seconds = now.seconds_left;
  if (now.money_left && variant.price_per_s > 0) {
    seconds = std::min(seconds, *now.money_left / variant.price_per_s);
  }
  const PassTimes& times = record.variants().times();
  const VariantTime time = times.of(variant_);
  const double sd = std::hypot(times.common_sd(), time.own_sd);
  return OngoingAttempt{.version = variant.version,
                        .passes = attempts[0].passes,
                        .target = record.spec().target,
                        .probability = record.spec().probability,
                        .seconds_left = seconds,
                        .pass_s = std::exp(time.log_s + normal_quantile(kSlowPass) * sd),
                        .start_s = variant.start_s};
}

std::optional<CountedPromise> FirstAttempt::promise(const PoolRecord& record,
                                                    const PoolMoment& now) const {
  const std::optional<OngoingAttempt> current = current_attempt(record, now);
  if (!current) return std::nullopt;
  return counts_.promise(*current, record.spec().probability);
}

bool FirstAttempt::forbids(const PoolRecord& record, const PoolMoment& now) const {
  const std::optional<OngoingAttempt> current = current_attempt(record, now);
  return current && counts_.forbids(*current, record.spec().probability);
}

void FirstAttempt::add_to(std::vector<CountedAttempt>& attempts, bool confirmed) const {
  if (!shown_.metrics.empty()) {
    attempts.push_back(shown_);
    attempts.back().confirmed = confirmed;
  }
  while (attempts.size() > kCountedMax) attempts.erase(attempts.begin());
}

}  // namespace surety::plan
