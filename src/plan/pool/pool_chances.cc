#include "plan/pool/pool_chances.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "plan/belief/stop_metric.h"
#include "plan/choice/nearest_promises.h"
#include "plan/pool/pool_words.h"

namespace surety::plan {
namespace {

constexpr std::uint32_t kLeastPasses = 3;  // Passes of one attempt before a promise is hopeless.
// A run that may well reach its target is not refused, even if no promise can be made. To be
// refused, its chance must be below this share of the probability that a promise may fail.
constexpr double kHopeless = 0.5;
constexpr double kLeastToName = 0.05;  // Least probability that a refusal names as an alternative.

double best_mean(const PoolChoice& choice) {
  double best = 0;
  for (const PoolOption& option : choice.options) best = std::max(best, option.kept_mean);
  return best;
}

// Chance that the certifying samples agree when training stops. Without noise they always agree.
double confirmation_chance(const PoolRecord& record) {
  return record.metric_se() > 0 ? (1 + record.spec().probability) / 2 : 1;
}

// A target that a model reaches without its input is not worth a promise.
void drop_worthless_target(const PoolRecord& record, PoolRefuse& refusal) {
  const std::optional<double>& guess = record.spec().guess;
  if (!guess || !refusal.target || *refusal.target < *guess) return;
  refusal.target.reset();
  refusal.reason +=
      "; all that could be promised is what a model that ignores its input reaches, too (" +
      metric_words(record.spec().metric, *guess) + ")";
}

}  // namespace

PoolOptions::PoolOptions(const PoolRecord& record, const Families& families)
    : record_(record),
      variants_(record.variants().variants()),
      candidates_(record.attempts().candidates(record.spec().passes_max)),
      goal_{.target = std::max(record.spec().target, kLeastMetric),
            .probability = record.spec().probability,
            .confirmed = 1,
            .passes_max = record.spec().passes_max,
            .switches = record.spec().switches,
            .tried = record.attempts().times_tried(record.spec())} {
  for (PoolVariant& variant : variants_) {
    variant.may_begin = families.may_begin(variant.family, record.attempts().empty()) &&
                        (!record.spec().one_solution || candidates_.empty());
  }
}

PoolChoice PoolOptions::choose_with_margin(double target, const PoolMoment& now) const {
  PoolGoal goal = goal_;
  goal.target = target_with_margin(record_, target);
  goal.confirmed = confirmation_chance(record_);
  return choose(goal, now);
}

PoolChoice PoolOptions::choose_without_margin(double target, const PoolMoment& now) const {
  PoolGoal goal = goal_;
  goal.target = std::max(target, kLeastMetric);
  return choose(goal, now);
}

Outlook PoolOptions::outlook(const PoolChoice& stops, const PoolChoice& shows) const {
  return outlook_of(stops, confirmation_chance(record_), shows, record_.spec().confidence);
}

PoolOptions PoolOptions::only(const PoolOption& option) const {
  constexpr std::uint32_t kNoFamily = std::numeric_limits<std::uint32_t>::max();
  PoolOptions one = *this;
  std::erase_if(one.candidates_, [&](const PoolCandidate& candidate) {
    return !option.attempt || candidate.attempt != *option.attempt;
  });
  for (std::uint32_t v = 0; v < one.variants_.size(); ++v) {
    PoolVariant& variant = one.variants_[v];
    variant.may_begin = !option.attempt && v == option.variant;
    const bool is_own = !one.candidates_.empty() && one.candidates_.front().variant == v;
    // An attempt changes only to versions of its family.
    if (v != option.variant && !is_own) variant.family = kNoFamily;
  }
  return one;
}

double PoolOptions::kept(const PoolMoment& from) const {
  const double target = record_.spec().target;
  return outlook(choose_with_margin(target, from), choose_without_margin(target, from)).mean;
}

PoolChoice PoolOptions::choose(const PoolGoal& goal, const PoolMoment& now) const {
  const PassTimes& times = record_.variants().times();
  return plan::choose(record_.belief(), variants_, times.common_sd(), !times.knows_any(),
                      candidates_, goal, now);
}

PoolChances::PoolChances(const PoolOptions& options, PoolChoice stops, const PoolMoment& now)
    : options_(options),
      stops_(std::move(stops)),
      shows_(options.choose_without_margin(options.record().spec().target, now)),
      outlook_(options.outlook(stops_, shows_)),
      now_(now) {}

const PoolOption& PoolChances::likeliest() const {
  return *std::ranges::max_element(stops_.options, {}, &PoolOption::kept_mean);
}

bool PoolChances::likeliest_was_tried() const {
  return options_.record().was_tried(likeliest().variant);
}

bool PoolChances::looks_hopeless(const PoolChoice& choice) const {
  const double probability = options_.record().spec().probability;
  return choice.kept_high < probability && best_mean(choice) < kHopeless * (1 - probability);
}

bool PoolChances::is_hopeless() const {
  const PoolRecord& record = options_.record();
  if (!record.attempts().any_has(kLeastPasses)) return false;
  // The current model is saved before a run is refused.
  const std::optional<std::uint32_t> current = record.attempts().current();
  const double lucky =
      lucky_metric(record.spec().target, record.spec().probability, record.metric_se());
  if (record.saved() && *record.saved() <= lucky) return false;
  if (current && record.attempts()[*current].metric <= lucky) return false;
  return looks_hopeless(stops_) && looks_hopeless(shows_);
}

PoolPromise PoolChances::promise(double cost) const {
  const PoolRecord& record = options_.record();
  const std::optional<EarlierJobs>& earlier = record.spec().earlier;
  return {
      .probability = outlook_.mean,
      .probability_lower = std::min(outlook_.low, outlook_.mean),
      .cost_mean = cost,
      .argument = argument_words({record.passes(), record.attempts().size()},
                                 earlier ? earlier_words(earlier->jobs, earlier->same_data) : "",
                                 record.spec().confidence, outlook_.low, outlook_.mean)};
}

PoolRefuse PoolChances::refusal_when_settled(std::string reason) const {
  PoolRefuse result = refusal();
  result.reason_class = ReasonClass::kFloor;
  result.reason = std::move(reason);
  // The laws may still expect an improvement; the metric that was reached does not depend on them.
  result.target = options_.record().attempts().best()->metric + margin(options_.record());
  drop_worthless_target(options_.record(), result);
  result.probability.reset();
  result.seconds_left.reset();
  result.money_left.reset();
  return result;
}

PoolRefuse PoolChances::refusal() const {
  const PoolRecord& record = options_.record();
  const PoolSpec& spec = record.spec();
  const double reached = record.attempts().best()->metric + margin(record);
  NearestPromises nearest = nearest_promises(
      {.target = spec.target, .probability = spec.probability, .reached = reached, .now = now_},
      [&](double target, const PoolMoment& moment) {
        return options_
            .outlook(options_.choose_with_margin(target, moment),
                     options_.choose_without_margin(target, moment))
            .low;
      });
  PoolRefuse refusal;
  refusal.reason_class = nearest.reason_class;
  refusal.reason = refusal_words(refusal.reason_class, {record.passes(), record.attempts().size()},
                                 spec.probability, std::max(best_mean(stops_), best_mean(shows_)),
                                 std::max(stops_.kept_high, shows_.kept_high));
  refusal.target = nearest.target;
  // Without any learning, no better target than the one reached now is named.
  if (refusal.target && record.better_passes() == 0) refusal.target = reached;
  drop_worthless_target(record, refusal);
  const double floor = std::floor(100 * outlook_.low) / 100;
  if (floor >= kLeastToName) refusal.probability = floor;
  refusal.seconds_left = nearest.seconds_left;
  refusal.money_left = nearest.money_left;
  return refusal;
}

}  // namespace surety::plan
