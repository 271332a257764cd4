#include "plan/pool/attempt_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "base/check.h"
#include "plan/belief/stop_metric.h"
#include "plan/pool/another_attempt.h"
#include "plan/pool/pool_reasons.h"
#include "plan/pool/pool_words.h"
#include "plan/pool/settled.h"

namespace surety::plan {
namespace {

// The best model so far may be certified once this number of attempts are unlikely to improve on
// it.
constexpr std::size_t kNoBetter = 2;

// Training ends once this number of evaluations have found no error. The first models without an
// error on the deciding samples may still improve on others.
constexpr std::uint32_t kPerfectPasses = 6;

// If the probability that one of the next few attempts reaches the target is below this, none
// begins. A success would then cost about thirty attempts or more.
constexpr double kUnlikely = 0.1;
constexpr double kNextAttempts = 3;

constexpr double kEven = 0.5;  // An even chance.

PoolStep certify_step(const PoolCertify& certify, std::string reason) {
  PoolStep step;
  step.action = certify;
  step.reason = std::move(reason);
  step.is_notable = !certify.target_met;
  return step;
}

// There is no room for one more pass of the option, so the best model is certified.
PoolStep no_room_step(const PoolRecord& record, const PoolOption& option, const PoolMoment& now) {
  const PoolVariantSpec& variant = record.variants()[option.variant];
  const double seconds = record.variants().pass_s(option.variant);
  return certify_step({record.attempts().best()->attempt, false},
                      seconds > now.seconds_left
                          ? no_time_words(now.seconds_left, variant.name, seconds)
                          : no_money_words(now.money_left.value_or(0), variant.name,
                                           seconds * variant.price_per_s));
}

// What is missing if training goes on with this option. The others might help more, but comparing
// them would delay the certification.
std::vector<MissingRoom> missing_with(const PoolOptions& options, const PoolOption& option,
                                      const PoolMoment& now) {
  const PoolRecord& record = options.record();
  if (evidence_of_learning(record) < kEvidence) return {};
  const PoolOptions own = options.only(option);
  const double seconds = record.variants().pass_s(option.variant);
  const PassNeeds pass{seconds, seconds * record.variants()[option.variant].price_per_s};
  std::vector<double> probabilities{record.spec().probability};
  if (record.spec().probability > kEven) probabilities.insert(probabilities.begin(), kEven);
  return missing_room(now, pass, probabilities,
                      [&](const PoolMoment& moment) { return own.kept(moment); });
}

PoolStep refuse_step(PoolRefuse refusal) {
  PoolStep step;
  step.reason = refusal.reason;
  step.action = std::move(refusal);
  step.is_notable = true;
  return step;
}

// The first pass has cost more than the budget, less what certifying costs.
PoolStep first_pass_over_budget_step(const PoolRecord& record, const PoolMoment& now) {
  const std::uint32_t variant = record.attempts()[0].variant;
  const double pass_cost =
      record.variants().pass_s(variant) * record.variants()[variant].price_per_s;
  return refuse_step({.reason_class = ReasonClass::kBudget,
                      .reason = over_budget_words(*now.money_left, record.attempts()[0].metric,
                                                  record.spec().metric),
                      .target = {},
                      .probability = {},
                      .seconds_left = {},
                      .money_left = {},
                      .pass_money = pass_cost});
}

// Whether a decision is needed after the last pass. It is also needed if the attempt cannot
// continue.
bool is_due(const PoolRecord& record) {
  const std::optional<std::uint32_t> current = record.attempts().current();
  return !current || is_decision_due(record.attempts()[*current].passes);
}

// The margin at which the best model is certified once no attempt is likely to improve on it.
// Training otherwise stops only at a better metric, because half of the possible failures is left
// to training.
StopMargin margin_of_best(const PoolRecord& record) {
  const double chance = std::max(0.0, 2 * record.spec().probability - 1);
  return {-stop_metric(0, chance, record.metric_se()), (1 - chance) / 2};
}

bool best_will_do(const PoolRecord& record) {
  return record.saved() && *record.saved() <= record.spec().target - margin_of_best(record).width;
}

// Few deciding samples may not be able to show the margin at which training stops. No evaluation is
// then better than one without an error.
bool is_perfect(const PoolAttempt& attempt, const PoolRecord& record) {
  return attempt.metric <= 0 && record.perfect_passes() >= kPerfectPasses;
}

// How much farther than it has fallen a duality gap may have to fall for a promise, as a ratio of
// logarithms. A gap falls by about the same factor in each pass if the features suit the solver. If
// they do not, it hardly falls, and then the laws of learning promise too much.
constexpr double kFarthestFall = 8;

bool has_far_to_fall(const PoolRecord& record) {
  if (record.spec().metric != Metric::kDualityGap || knows_same_data(record.spec())) return false;
  const PoolAttempt& best = record.attempts()[record.attempts().best()->attempt];
  const double fallen = std::log(best.in_version.front().value / best.best);
  return std::log(best.best / record.spec().target) > kFarthestFall * fallen;
}

bool has_tried_all(const PoolRecord& record) {
  for (std::uint32_t variant = 0; variant < record.variants().size(); ++variant) {
    if (!record.was_tried(variant)) return false;
  }
  return true;
}

// The number of attempts like those so far that fit into the remaining time and money; at least
// one.
double attempts_left(const PoolRecord& record, const PoolMoment& now) {
  double seconds = 0;
  double cost = 0;
  for (std::uint32_t a = 0; a < record.attempts().size(); ++a) {
    const PoolAttempt& attempt = record.attempts()[a];
    const double own = attempt.passes * record.variants().pass_s(attempt.variant);
    seconds += own;
    cost += own * record.variants()[attempt.variant].price_per_s;
  }
  const double count = record.attempts().size();
  double left = seconds > 0 ? count * now.seconds_left / seconds : 1;
  if (now.money_left && cost > 0) left = std::min(left, count * *now.money_left / cost);
  return std::max(1.0, std::ceil(left));
}

// The step if no comparison of options is needed; none if they must be compared.
std::optional<PoolStep> simple_step(const PoolRecord& record, const PoolMoment& now) {
  const PoolSpec& spec = record.spec();
  const PoolAttempts& attempts = record.attempts();
  const std::optional<std::uint32_t> current = attempts.current();
  if (current && record.has_reached()) {
    const PoolAttempt& attempt = attempts[*current];
    return certify_step(
        {*current, true},
        reached_words(spec.metric, attempt.metric, {margin(record), (1 - spec.probability) / 2},
                      attempt.passes));
  }
  if (current && !spec.best_effort && is_perfect(attempts[*current], record)) {
    return certify_step({*current, false}, perfect_words(record.perfect_passes()));
  }
  const std::size_t no_better = attempts.no_better(spec.passes_max);
  if (no_better >= kNoBetter && best_will_do(record)) {
    return certify_step(
        {attempts.best()->attempt, false},
        best_will_do_words(spec.metric, no_better, *record.saved(), margin_of_best(record)));
  }
  if (!current || is_due(record)) return std::nullopt;
  const PoolAttempt& attempt = attempts[*current];
  if (attempt.is_past_best || attempt.passes >= spec.passes_max ||
      !record.variants().fits(attempt.variant, now)) {
    return std::nullopt;
  }
  PoolStep step;
  step.action = PoolTrain{current, attempt.variant};
  step.reason = fmt::format(
      "attempt {} continues: the next decision follows after some more passes", *current + 1);
  return step;
}

}  // namespace

AttemptPool::AttemptPool(PoolSpec spec)
    : record_(std::make_unique<PoolRecord>(std::move(spec))), families_(record_->spec().families) {}

void AttemptPool::set_untrained_metric(double metric) {
  if (record_->has_begun()) return;
  record_->begin(metric);
  first_.allot(*record_);
}

void AttemptPool::on_pass(const PoolPass& pass) {
  first_.on_pass(record_->on_pass(pass), record_->spec());
}

void AttemptPool::on_answered(PoolAnswer answer) {
  if (answer == PoolAnswer::kStated) promised_ = true;
  if (answer == PoolAnswer::kRefused) refused_ = true;
}

PoolStep AttemptPool::next(const PoolMoment& now) {
  SURETY_CHECK(record_->has_begun());
  if (std::optional<PoolStep> step = simple_step(*record_, now)) return *std::move(step);
  const PoolOptions options(*record_, families_);
  if (std::optional<PoolStep> step = settled_step(options, now)) return *std::move(step);
  PoolChoice choice = options.choose_with_margin(record_->spec().target, now);
  if (std::optional<PoolStep> step = exhausted_step(options, choice, now)) return *std::move(step);
  const PoolOption option = choice.option;
  PoolStep step = training_step(option);
  if (record_->passes() > 0 && !record_->variants().fits(option.variant, now)) {
    const bool is_overspent = now.money_left && *now.money_left < 0;
    if (record_->passes() == 1 && is_overspent && !promised_ && !record_->spec().best_effort) {
      return first_pass_over_budget_step(*record_, now);
    }
    step = no_room_step(*record_, option, now);
    step.missing = missing_with(options, option, now);
    return step;
  }
  if (promised_) return step;
  const double cost = option.cost_mean;
  if (std::optional<CountedPromise> counted = first_.promise(*record_, now)) {
    promised_ = true;
    step.promised = PoolPromise{.probability = counted->probability,
                                .probability_lower = counted->probability,
                                .cost_mean = cost,
                                .argument = std::move(counted->argument)};
  } else if (evidence(*record_) >= kEvidence) {
    judge(PoolChances(options, std::move(choice), now), now, cost, step);
  }
  return step;
}

// The best model is certified if the probability that this keeps the promise is above one half, or
// if the promise may not be refused any more. A refused run also measures its best model.
std::optional<PoolStep> AttemptPool::settled_step(const PoolOptions& options,
                                                  const PoolMoment& now) const {
  const PoolSpec& spec = record_->spec();
  const std::optional<std::uint32_t> current = record_->attempts().current();
  if (!spec.one_solution || !current) return std::nullopt;
  const PoolAttempt& attempt = record_->attempts()[*current];
  const bool is_at_end = attempt.passes >= spec.passes_max;
  // A duality gap falls to 0, so it never settles above a target.
  const bool has_ended = spec.metric != Metric::kDualityGap &&
                         has_settled(attempt.in_version, spec.passes_max - attempt.passes);
  if (!is_at_end && !has_ended) return std::nullopt;
  std::string reason = is_at_end ? all_passes_words(spec.metric, attempt.metric, attempt.passes)
                                 : settled_words(spec.metric, attempt.metric, attempt.passes);
  if (record_->saved() && *record_->saved() < attempt.metric) {
    reason += "; " + best_kept_words(spec.metric, *record_->saved());
  }
  PoolStep certified = certify_step({record_->attempts().best()->attempt, false}, reason);
  if (record_->attempts().best()->metric <= spec.target || promised_) return certified;
  PoolRefuse refusal = PoolChances(options, options.choose_with_margin(spec.target, now), now)
                           .refusal_when_settled(std::move(reason));
  if (!spec.best_effort) return refuse_step(std::move(refusal));
  if (!refused_) certified.refused_but_continued = std::move(refusal);
  return certified;
}

// The best model is certified if no attempt that may continue reaches the target under nine of ten
// laws, and another attempt would hardly come nearer. The result of the next attempt is not
// predicted by the laws alone: they only fall, so they do not predict that attempts get worse in
// the end.
std::optional<PoolStep> AttemptPool::exhausted_step(const PoolOptions& options,
                                                    const PoolChoice& choice,
                                                    const PoolMoment& now) const {
  const PoolSpec& spec = record_->spec();
  const PoolAttempts& attempts = record_->attempts();
  if (spec.best_effort || spec.one_solution || !has_tried_all(*record_)) return std::nullopt;
  // An attempt with fewer passes shows hardly more than a fresh one.
  const bool may_continue = std::ranges::any_of(choice.options, [&](const PoolOption& option) {
    return option.attempt && attempts[*option.attempt].passes >= kPassesToCompare &&
           !is_out_of_reach(option);
  });
  if (choice.option.attempt || may_continue) return std::nullopt;
  const std::vector<double> bests = attempts.bests(spec.passes_max);
  const double more = std::min(attempts_left(*record_, now), kNextAttempts);
  const auto is_unlikely = [&](double goal) {
    return chance_of_another(bests, goal, record_->metric_se(), more) < kUnlikely;
  };
  const double goal = target_with_margin(*record_, spec.target);
  if (!is_unlikely(goal)) return std::nullopt;
  if (attempts.best()->metric <= spec.target || promised_) {
    return certify_step({attempts.best()->attempt, false},
                        exhausted_words(spec.metric, bests, {goal, more, kUnlikely}));
  }
  if (!is_unlikely(spec.target)) return std::nullopt;
  return refuse_step(PoolChances(options, options.choose_with_margin(spec.target, now), now)
                         .refusal_when_settled(
                             exhausted_words(spec.metric, bests, {spec.target, more, kUnlikely})));
}

PoolStep AttemptPool::training_step(const PoolOption& option) {
  forecasts_.count(*record_, option);
  const PoolReasons reasons{record_->spec(), record_->variants(), record_->attempts(),
                            record_->metric_se(), forecasts_.scope(*record_)};
  const std::optional<std::uint32_t> current = record_->attempts().current();
  PoolStep step;
  step.forecast = reasons.forecast(option);
  step.reason = reasons.reason(option, step.forecast);
  step.action = PoolTrain{option.attempt, option.variant};
  step.is_notable =
      option.attempt != current ||
      (current && (record_->attempts()[*current].variant != option.variant ||
                   (reasons.lacks_margin(*current) && reported_margin_.insert(*current).second)));
  return step;
}

void AttemptPool::judge(const PoolChances& chances, const PoolMoment& now, double cost,
                        PoolStep& step) {
  count(chances, now);
  step.outlook = chances.outlook().by_draw;
  if (agreement_.states()) {
    promised_ = true;
    step.promised = chances.promise(cost);
  } else if (agreement_.refuses() && record_->spec().best_effort) {
    if (!std::exchange(refused_, true)) step.refused_but_continued = chances.refusal();
  } else if (agreement_.refuses()) {
    PoolRefuse refusal = chances.refusal();
    step.reason = refusal.reason;
    step.action = std::move(refusal);
    step.is_notable = true;
  } else if (const std::uint32_t variant = chances.likeliest().variant;
             chances.is_hopeless() && !chances.likeliest_was_tried() &&
             record_->variants().fits(variant, now)) {
    // Evidence from other versions alone is not enough to refuse a version that was never tried.
    step.action = PoolTrain{std::nullopt, variant};
    step.reason = attempt_words(record_->attempts().size() + 1, record_->variants()[variant].name,
                                "no other version is likely to reach the target");
    step.is_notable = true;
  }
}

void AttemptPool::count(const PoolChances& chances, const PoolMoment& now) {
  const Outlook& outlook = chances.outlook();
  const bool hopeful = std::min(outlook.low, outlook.mean) >= record_->spec().probability &&
                       evidence_of_learning(*record_) >= kEvidence &&
                       !first_.forbids(*record_, now) && !has_far_to_fall(*record_);
  agreement_.count(hopeful, chances.is_hopeless() && chances.likeliest_was_tried());
}

void AttemptPool::on_decided(const PoolMoment& then) {
  SURETY_CHECK(record_->has_begun());
  if (promised_ || record_->passes() == 0 || evidence(*record_) < kEvidence ||
      simple_step(*record_, then)) {
    return;
  }
  const PoolOptions options(*record_, families_);
  PoolChoice choice = options.choose_with_margin(record_->spec().target, then);
  forecasts_.count(*record_, choice.option);
  if (!record_->variants().fits(choice.option.variant, then)) return;
  count(PoolChances(options, std::move(choice), then), then);
}

std::vector<MissingRoom> AttemptPool::missing(const PoolMoment& now) const {
  const PoolOptions options(*record_, families_);
  return missing_with(options, options.choose_with_margin(record_->spec().target, now).option, now);
}

bool AttemptPool::must_save(bool cheap) const {
  const std::optional<std::uint32_t> current = record_->attempts().current();
  if (!current) return false;
  const PoolAttempt& attempt = record_->attempts()[*current];
  const double saved = record_->saved().value_or(std::numeric_limits<double>::infinity());
  const bool is_wanted = cheap || attempt.metric <= record_->spec().target;
  return is_wanted && attempt.metric < saved && !attempt.fall.is_steady();
}

std::vector<std::uint32_t> AttemptPool::abandoned() const {
  return record_->attempts().abandoned(record_->spec().passes_max);
}

std::optional<EarlierJobs> AttemptPool::for_later_jobs(bool confirmed) const {
  if (record_->passes() == 0) return std::nullopt;
  EarlierJobs known;
  if (knows_same_data(record_->spec())) known = *record_->spec().earlier;
  known.laws = record_->belief().laws();
  ++known.jobs;
  known.passes += record_->passes();
  known.same_data = true;
  first_.add_to(known.first_attempts, confirmed);
  return known;
}

}  // namespace surety::plan
