#include "plan/pool/attempt_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "base/check.h"
#include "base/statistics.h"
#include "plan/belief/earlier_counts.h"
#include "plan/belief/stop_metric.h"
#include "plan/pool/nearest_promises.h"
#include "plan/pool/outlook.h"
#include "plan/pool/pool_attempts.h"
#include "plan/pool/pool_reasons.h"
#include "plan/pool/pool_words.h"
#include "plan/pool/variant_table.h"

namespace surety::plan {
namespace {

constexpr std::uint32_t kEvidence = 3;  // Passes before anything is promised or refused.
// A run that may well reach its target is not refused, even if no promise can be made. To be
// refused, its chance must be below this share of the probability that a promise may fail.
constexpr double kHopeless = 0.5;
constexpr std::uint32_t kOnEnd = 2;  // Decisions in a row that must agree.
// The best model so far may be certified once this many attempts are not likely to improve on it.
constexpr std::size_t kNoBetter = 2;
constexpr double kLeastMetric = 1e-12;  // Metrics must be positive, because logarithms are taken.
constexpr double kLeastToName = 0.05;   // Least probability that a refusal names as an alternative.
// Weight of the earlier jobs' law in the prior. The rest is the wide prior, in case this job turns
// out to be different.
constexpr double kSameData = 0.9;
constexpr double kOtherData = 0.5;
constexpr double kOwnVariance = 0.01;  // Variance that one job adds to each parameter.
// Counted attempts are allotted this many passes: after them, by the laws of earlier jobs, this
// share of attempts is at the target.
constexpr double kAllotted = 0.8;
constexpr double kSlowPass = 0.9;  // Quantile of pass durations for counting how many attempts fit.
constexpr std::size_t kCountedMax = 64;  // Number of first attempts that are kept.

// Decisions are due after each of the first eight passes of an attempt, then after each eighth part
// more. So they take no notable time if passes are many and short.
bool is_due(std::uint32_t passes) { return passes <= 8 || passes % (passes / 8) == 0; }

PoolStep certify_step(const PoolCertify& certify, std::string reason) {
  PoolStep step;
  step.action = certify;
  step.reason = std::move(reason);
  step.is_notable = !certify.target_met;
  return step;
}

}  // namespace

class AttemptPool::Impl {
 public:
  explicit Impl(PoolSpec spec) : spec_(std::move(spec)), variants_(spec_) {
    SURETY_CHECK(!spec_.variants.empty() && !spec_.versions.empty());
    SURETY_CHECK(spec_.families > 0 && spec_.versions.size() % spec_.families == 0);
  }

  void set_untrained_metric(double metric) {
    if (belief_) return;
    BeliefOptions options;
    options.seed = spec_.seed;
    options.falls_to_nothing = spec_.metric == Metric::kDualityGap ? 0.9 : 0.1;
    options.workers = spec_.workers_law;
    if (spec_.earlier) options.prior = prior_of(spec_);
    belief_.emplace(spec_.versions, std::max(metric, kLeastMetric), options);
    allot();
  }

  void on_pass(const PoolPass& pass) {
    if (!std::isfinite(pass.metric)) {  // Counts as a very bad metric.
      PoolPass bad = pass;
      bad.metric = 1e3 * belief_->start();
      bad.metric_se = se_;
      return on_pass(bad);
    }
    SURETY_CHECK(belief_ && pass.variant < spec_.variants.size());
    if (pass.attempt == attempts_.size()) belief_->begin();
    attempts_.on_pass(pass, variants_[pass.variant].version, belief_->start());
    se_ = pass.metric_se;
    if (pass.attempt == 0) {
      if (first_.metrics.empty()) {
        const std::uint32_t version = variants_[pass.variant].version;
        first_.seed = spec_.seed;
        first_.version = spec_.version_names[version];
        first_variant_ = pass.variant;
      }
      first_.observe(pass.passes, pass.metric, pass.metric_se);
    }
    tried_.insert(variants_[pass.variant].version);
    variants_.observe(pass.variant, pass.seconds, pass.workers);
    ++passes_;
    reached_ = pass.metric <= stop_metric(spec_.target, spec_.probability, pass.metric_se,
                                          attempts_[pass.attempt].fall.is_steady());
    due_ = is_due(pass.passes);
    if (due_ || reached_) {
      belief_->observe(pass.attempt,
                       {.version = variants_[pass.variant].version,
                        .passes = static_cast<double>(pass.passes),
                        .metric = std::max(pass.metric, kLeastMetric),
                        .metric_se = pass.metric_se,
                        .workers_log = pass.workers > 0 ? variants_.workers_log_of(pass.workers)
                                                        : variants_.workers_log(pass.variant)});
    }
  }

  void on_saved(double metric) { saved_ = std::min(saved_.value_or(metric), metric); }
  void on_promised() { promised_ = true; }
  void on_lost(std::uint32_t attempt) { attempts_.on_lost(attempt); }

  void exclude(std::uint32_t family) {
    SURETY_CHECK(family < spec_.families);
    excluded_.insert(family);
    SURETY_CHECK(families_left() > 0);
  }
  [[nodiscard]] std::uint32_t families_left() const {
    return spec_.families - static_cast<std::uint32_t>(excluded_.size());
  }

  void unload() { attempts_.unload(); }
  void on_failed_start(std::uint32_t variant) {
    SURETY_CHECK(belief_.has_value());
    attempts_.on_failed_start(variant);
    belief_->begin();
  }

  PoolStep next(const PoolMoment& now) {
    SURETY_CHECK(belief_.has_value());
    const std::optional<std::uint32_t> current = attempts_.current();
    if (current && reached_) {
      const PoolAttempt& attempt = attempts_[*current];
      return certify_step({*current, true}, reached_words(spec_.metric, attempt.metric, se_ <= 0,
                                                          spec_.probability, attempt.passes));
    }
    const std::size_t no_better = attempts_.no_better(spec_.passes_max);
    if (no_better >= kNoBetter && best_will_do()) {
      return certify_step({*attempts_.best(), false},
                          best_will_do_words(spec_.metric, no_better, *saved_, spec_.probability));
    }
    if (current && !due_ && !attempts_[*current].is_past_best &&
        variants_.fits(attempts_[*current].variant, now) &&
        attempts_[*current].passes < spec_.passes_max) {
      PoolStep step;
      step.action = PoolTrain{current, attempts_[*current].variant};
      step.reason = fmt::format(
          "attempt {} continues: the next decision follows after some more passes", *current + 1);
      return step;
    }
    const std::vector<PoolCandidate> candidates = attempts_.candidates(spec_.passes_max);
    const PoolChoice choice = choose(goal(), candidates, now);
    const PoolOption& option = choice.option;
    PoolStep step;
    const PoolReasons reasons{spec_, variants_, attempts_, se_};
    step.forecast = reasons.forecast(option);
    step.reason = reasons.reason(option, step.forecast);
    step.action = PoolTrain{option.attempt, option.variant};
    step.is_notable =
        option.attempt != current || (current && attempts_[*current].variant != option.variant) ||
        (current && reasons.lacks_margin(*current) && reported_margin_.insert(*current).second);
    if (passes_ > 0 && !variants_.fits(option.variant, now)) return no_room(option, now);
    if (!promised_) step.promised = promise_by_counts(option, now);
    if (step.promised) {
      promised_ = true;
    } else if (evidence() >= kEvidence && !promised_) {
      const PoolChoice shows = choose(bare_goal(spec_.target), candidates, now);
      const Outlook outlook = outlook_for(choice, shows);
      const bool hopeless = count_in_a_row(choice, shows, outlook, now);
      step.outlook = outlook.by_draw;
      const PoolOption& best = likeliest(choice);
      if (hopeful_ >= kOnEnd) {
        promised_ = true;
        step.promised = PoolPromise{outlook.mean, std::min(outlook.low, outlook.mean),
                                    can_cost(option, now), argument(outlook)};
      } else if (hopeless_ >= kOnEnd && spec_.best_effort) {
        if (!std::exchange(reported_hopeless_, true))
          step.hopeless = refuse(choice, shows, candidates, now);
      } else if (hopeless_ >= kOnEnd) {
        step.action = refuse(choice, shows, candidates, now);
        step.reason = std::get<PoolRefuse>(step.action).reason;
        step.is_notable = true;
      } else if (hopeless && !was_tried(choice) && variants_.fits(best.variant, now)) {
        // Evidence from other versions alone is not enough to refuse a version that was never
        // tried.
        step.action = PoolTrain{std::nullopt, best.variant};
        step.reason =
            fmt::format("attempt {} begins with {}: no other version is likely to reach the target",
                        attempts_.size() + 1, name(best.variant));
        step.is_notable = true;
      }
    }
    return step;
  }

  void on_decided(const PoolMoment& then) {
    SURETY_CHECK(belief_.has_value());
    if (reached_ || !due_ || promised_ || passes_ == 0 || evidence() < kEvidence) return;
    const std::vector<PoolCandidate> candidates = attempts_.candidates(spec_.passes_max);
    const PoolChoice choice = choose(goal(), candidates, then);
    if (!variants_.fits(choice.option.variant, then)) return;
    const PoolChoice shows = choose(bare_goal(spec_.target), candidates, then);
    (void)count_in_a_row(choice, shows, outlook_for(choice, shows), then);
  }

  [[nodiscard]] std::optional<std::uint32_t> best() const { return attempts_.best(); }
  [[nodiscard]] std::vector<std::uint32_t> abandoned() const {
    return attempts_.abandoned(spec_.passes_max);
  }
  [[nodiscard]] std::uint32_t attempts() const { return attempts_.size(); }
  [[nodiscard]] std::optional<EarlierJobs> lessons(bool confirmed) const {
    if (passes_ == 0) return std::nullopt;
    EarlierJobs lessons;
    if (knows_same_data()) lessons = *spec_.earlier;
    lessons.laws = belief_->laws();
    ++lessons.jobs;
    lessons.passes += passes_;
    lessons.same_data = true;
    if (!first_.metrics.empty()) {
      lessons.first_attempts.push_back(first_);
      lessons.first_attempts.back().confirmed = confirmed;
    }
    if (lessons.first_attempts.size() > kCountedMax) {
      lessons.first_attempts.erase(lessons.first_attempts.begin());
    }
    return lessons;
  }

 private:
  // Counts the decisions in a row that promise and those that refuse. Returns whether this decision
  // finds the promise hopeless.
  bool count_in_a_row(const PoolChoice& choice, const PoolChoice& shows, const Outlook& outlook,
                      const PoolMoment& now) {
    const bool hopeful = outlook.low >= spec_.probability && !counts_forbid(now);
    hopeful_ = hopeful ? hopeful_ + 1 : 0;
    const bool hopeless = is_hopeless(choice, shows);
    hopeless_ = hopeless && was_tried(choice) ? hopeless_ + 1 : 0;
    return hopeless;
  }

  // Whether any attempt used the version of the likeliest option.
  [[nodiscard]] bool was_tried(const PoolChoice& choice) const {
    return tried_.contains(variants_[likeliest(choice).variant].version);
  }

  static LawPrior prior_of(const PoolSpec& spec) {
    const EarlierJobs& earlier = *spec.earlier;
    const std::size_t parameters =
        Belief::parameters(spec.versions.size(), spec.workers_law.sd > 0);
    std::optional<EarlierLaws> laws =
        fitted(widened(earlier.laws, earlier.jobs, kOwnVariance), parameters);
    SURETY_CHECK(laws.has_value());
    return {*laws, earlier.same_data ? kSameData : kOtherData};
  }

  [[nodiscard]] bool knows_same_data() const { return spec_.earlier && spec_.earlier->same_data; }

  // The passes that a promise may rest on.
  [[nodiscard]] std::uint32_t evidence() const {
    return passes_ + (passes_ > 0 && knows_same_data() ? spec_.earlier->passes : 0);
  }

  // The allotted passes are fixed before the first pass, by the laws of earlier jobs. What is
  // counted must not choose the passes by which it is judged.
  void allot() {
    if (!knows_same_data()) return;
    const std::vector<CountedAttempt>& attempts = spec_.earlier->first_attempts;
    double se = 0;
    for (const CountedAttempt& one : attempts) se = std::max(se, one.metric_se);
    const double target = std::max(stop_metric(spec_.target, spec_.probability, se), kLeastMetric);
    std::vector<AllottedPasses> allotted;
    // For the largest number of workers of any variant: there, if anything, more passes are needed.
    const double most = variants_.most_workers_log();
    for (std::uint32_t v = 0; v < spec_.versions.size() && !attempts.empty(); ++v) {
      allotted.push_back({spec_.version_names[v],
                          passes_to_reach(*belief_, v, most, target, kAllotted, spec_.passes_max)});
    }
    counts_ = EarlierCounts(attempts, std::move(allotted), spec_.confidence);
  }

  // The first attempt, while it is the only one. None if nothing can be counted.
  [[nodiscard]] std::optional<CurrentAttempt> counted_attempt(const PoolMoment& now) const {
    if (attempts_.size() != 1 || attempts_.current() != 0u || attempts_[0].passes == 0)
      return std::nullopt;
    const PoolVariantSpec& variant = variants_[first_variant_];
    double seconds = now.seconds_left;
    if (now.money_left && variant.price_per_s > 0) {
      seconds = std::min(seconds, *now.money_left / variant.price_per_s);
    }
    const VariantTime time = variants_.times().of(first_variant_);
    const double sd = std::hypot(variants_.times().common_sd(), time.own_sd);
    return CurrentAttempt{.version = variant.version,
                          .passes = attempts_[0].passes,
                          .target = spec_.target,
                          .probability = spec_.probability,
                          .seconds_left = seconds,
                          .pass_s = std::exp(time.log_s + normal_quantile(kSlowPass) * sd),
                          .start_s = variant.start_s};
  }

  [[nodiscard]] std::optional<PoolPromise> promise_by_counts(const PoolOption& option,
                                                             const PoolMoment& now) const {
    const std::optional<CurrentAttempt> current = counted_attempt(now);
    if (!current) return std::nullopt;
    auto counted = counts_.promise(*current, spec_.probability);
    if (!counted) return std::nullopt;
    return PoolPromise{.probability = counted->probability,
                       .probability_lower = counted->probability,
                       .cost_mean = can_cost(option, now),
                       .argument = std::move(counted->argument)};
  }

  [[nodiscard]] bool counts_forbid(const PoolMoment& now) const {
    const std::optional<CurrentAttempt> current = counted_attempt(now);
    return current && counts_.forbids(*current, spec_.probability);
  }

  [[nodiscard]] std::vector<PoolVariant> variants() const {
    std::vector<PoolVariant> out = variants_.variants();
    for (PoolVariant& variant : out) {
      variant.may_begin =
          attempts_.empty() ? variant.family == 0 : !excluded_.contains(variant.family);
    }
    return out;
  }

  // What the deciding samples must show if the current attempt continues as before.
  [[nodiscard]] double target_with_margin(double target) const {
    const std::optional<std::uint32_t> current = attempts_.current();
    const bool steadily = current && attempts_[*current].fall.is_steady();
    return std::max(stop_metric(target, spec_.probability, se_, steadily), kLeastMetric);
  }

  [[nodiscard]] PoolGoal goal() const {
    return {.target = target_with_margin(spec_.target),
            .probability = spec_.probability,
            .confirmed = se_ > 0 ? (1 + spec_.probability) / 2 : 1,
            .passes_max = spec_.passes_max,
            .switches = spec_.switches,
            .tried = attempts_.times_tried(spec_)};
  }

  // What the best model at the deadline must show: the target without margin.
  [[nodiscard]] PoolGoal bare_goal(double target) const {
    PoolGoal bare = goal();
    bare.target = std::max(target, kLeastMetric);
    bare.confirmed = 1;
    return bare;
  }

  [[nodiscard]] Outlook outlook_for(const PoolChoice& stops, const PoolChoice& shows) const {
    return outlook_of(stops, goal().confirmed, shows, spec_.confidence);
  }

  [[nodiscard]] PoolChoice choose(const PoolGoal& goal,
                                  const std::vector<PoolCandidate>& candidates,
                                  const PoolMoment& now) const {
    return plan::choose(*belief_, variants(), variants_.times().common_sd(),
                        !variants_.times().knows_any(), candidates, goal, now);
  }

  [[nodiscard]] PoolStep no_room(const PoolOption& option, const PoolMoment& now) const {
    const double seconds = variants_.pass_s(option.variant);
    const bool time = seconds > now.seconds_left;
    PoolStep step;
    step.is_notable = true;
    step.reason = time ? no_time_words(now.seconds_left, name(option.variant), seconds)
                       : no_money_words(now.money_left.value_or(0), name(option.variant),
                                        seconds * variants_[option.variant].price_per_s);
    step.action = PoolCertify{*attempts_.best(), false};
    return step;
  }

  // Whether the best model with a checkpoint keeps the promise with the promised chance. Training
  // otherwise stops only at a better metric, because half of the possible failures is left to
  // training.
  [[nodiscard]] bool best_will_do() const {
    const double chance = std::max(0.0, 2 * spec_.probability - 1);
    return saved_ && *saved_ <= stop_metric(spec_.target, chance, se_);
  }

  // The expected cost of the option, but at most what there is time and money to spend.
  [[nodiscard]] double can_cost(const PoolOption& option, const PoolMoment& now) const {
    return std::min(option.cost_mean, variants_.most_to_spend(option.variant, now));
  }

  [[nodiscard]] const std::string& name(std::uint32_t variant) const {
    return variants_[variant].name;
  }

  [[nodiscard]] static const PoolOption& likeliest(const PoolChoice& choice) {
    return *std::ranges::max_element(choice.options, {}, &PoolOption::kept_mean);
  }

  [[nodiscard]] bool looks_hopeless(const PoolChoice& choice) const {
    return choice.kept_high < spec_.probability &&
           best_mean(choice) < kHopeless * (1 - spec_.probability);
  }

  // At the deadline the best model is certified, even without the full margin. So the goal without
  // margin must be hopeless, too. The certifying samples may also show a better metric than the
  // deciding ones. While that luck may make up for what the best model lacks, the promise is not
  // hopeless either.
  [[nodiscard]] bool is_hopeless(const PoolChoice& choice, const PoolChoice& shows) const {
    if (!attempts_.any_has(kEvidence)) return false;
    // The current model is saved before a run is refused.
    const std::optional<std::uint32_t> current = attempts_.current();
    const double lucky = lucky_metric(spec_.target, spec_.probability, se_);
    if (saved_ && *saved_ <= lucky) return false;
    if (current && attempts_[*current].metric <= lucky) return false;
    return looks_hopeless(choice) && looks_hopeless(shows);
  }

  [[nodiscard]] double best_mean(const PoolChoice& choice) const {
    double best = 0;
    for (const PoolOption& option : choice.options) best = std::max(best, option.kept_mean);
    return best;
  }

  [[nodiscard]] std::string argument(const Outlook& outlook) const {
    return argument_words(
        {passes_, attempts_.size()},
        spec_.earlier ? earlier_words(spec_.earlier->jobs, spec_.earlier->same_data) : "",
        spec_.confidence, outlook.low, outlook.mean);
  }

  [[nodiscard]] PoolRefuse refuse(const PoolChoice& choice, const PoolChoice& shows,
                                  const std::vector<PoolCandidate>& candidates,
                                  const PoolMoment& now) const {
    const NearestPromises nearest = nearest_promises(
        {.target = spec_.target,
         .probability = spec_.probability,
         .reached = attempts_.best_metric() + (spec_.target - target_with_margin(spec_.target)),
         .now = now},
        [&](double target, const PoolMoment& moment) {
          PoolGoal goal = this->goal();
          goal.target = target_with_margin(target);
          return outlook_for(choose(goal, candidates, moment),
                             choose(bare_goal(target), candidates, moment))
              .low;
        });
    PoolRefuse refusal;
    refusal.target = nearest.target;
    refusal.seconds_left = nearest.seconds_left;
    refusal.money_left = nearest.money_left;
    refusal.reason_class = nearest.reason_class;
    const double floor = std::floor(100 * outlook_for(choice, shows).low) / 100;
    if (floor >= kLeastToName) refusal.probability = floor;
    refusal.reason = refusal_words(refusal.reason_class, {passes_, attempts_.size()},
                                   spec_.probability, std::max(best_mean(choice), best_mean(shows)),
                                   std::max(choice.kept_high, shows.kept_high));
    return refusal;
  }

  PoolSpec spec_;
  VariantTable variants_;
  std::optional<Belief> belief_;
  PoolAttempts attempts_;
  std::set<std::uint32_t> tried_;            // Versions that were trained.
  std::set<std::uint32_t> excluded_;         // Families without fresh attempts.
  std::set<std::uint32_t> reported_margin_;  // Attempts whose missing margin was logged.
  double se_ = 0;
  std::optional<double> saved_;  // Least metric of a model that has a checkpoint.
  CountedAttempt first_;         // Kept for later jobs.
  std::uint32_t first_variant_ = 0;
  EarlierCounts counts_;
  std::uint32_t passes_ = 0;
  std::uint32_t hopeful_ = 0;
  std::uint32_t hopeless_ = 0;
  bool promised_ = false;
  bool reached_ = false;
  bool due_ = true;
  bool reported_hopeless_ = false;
};

AttemptPool::AttemptPool(PoolSpec spec) : impl_(std::make_unique<Impl>(std::move(spec))) {}
AttemptPool::~AttemptPool() = default;
AttemptPool::AttemptPool(AttemptPool&&) noexcept = default;
AttemptPool& AttemptPool::operator=(AttemptPool&&) noexcept = default;

void AttemptPool::set_untrained_metric(double metric) { impl_->set_untrained_metric(metric); }
void AttemptPool::on_pass(const PoolPass& pass) { impl_->on_pass(pass); }
void AttemptPool::on_saved(double metric) { impl_->on_saved(metric); }
void AttemptPool::on_promised() { impl_->on_promised(); }
void AttemptPool::on_lost(std::uint32_t attempt) { impl_->on_lost(attempt); }
void AttemptPool::exclude(std::uint32_t family) { impl_->exclude(family); }
std::uint32_t AttemptPool::families_left() const { return impl_->families_left(); }
void AttemptPool::unload() { impl_->unload(); }
void AttemptPool::on_decided(const PoolMoment& then) { impl_->on_decided(then); }
bool AttemptPool::decides_after(std::uint32_t passes) { return is_due(passes); }
void AttemptPool::on_failed_start(std::uint32_t variant) { impl_->on_failed_start(variant); }
PoolStep AttemptPool::next(const PoolMoment& now) { return impl_->next(now); }
std::optional<std::uint32_t> AttemptPool::best() const { return impl_->best(); }
std::vector<std::uint32_t> AttemptPool::abandoned() const { return impl_->abandoned(); }
std::uint32_t AttemptPool::attempts() const { return impl_->attempts(); }
std::optional<EarlierJobs> AttemptPool::lessons(bool confirmed) const {
  return impl_->lessons(confirmed);
}

}  // namespace surety::plan
