#include "orchestrator/job/pool_stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/check.h"
#include "base/words.h"
#include "orchestrator/job/pass_record.h"
#include "orchestrator/job/pool_replay.h"
#include "orchestrator/job/stages.h"
#include "plan/files/plan_io.h"
#include "plan/pool/learns_nothing.h"
#include "plan/pool/pool_words.h"

namespace surety::orchestrator {
namespace {

// Failed attempts after which the run ends and reports it.
constexpr std::uint32_t kFailuresMax = 4;
// Factor for a new attempt's learning rate, for each failed attempt.
constexpr double kSlower = 0.1;
// Share of the first pass after which its duration is known well enough.
constexpr double kShareToJudge = 0.2;
// Factor by which another variant's pass may be faster than assumed.
constexpr double kGuessOff = 0.5;

void add(std::vector<StageEffect>& to, std::vector<StageEffect> from) {
  std::ranges::move(from, std::back_inserter(to));
}

}  // namespace

PoolStage::PoolStage(StageContext context, PoolPlan plan, const RunState& state)
    : context_(std::move(context)),
      plan_(std::move(plan)),
      pool_(plan_.spec),
      failures_(static_cast<std::uint32_t>(state.attempts_failed.size())) {}

std::uint64_t PoolStage::seed(std::uint32_t attempt) const {
  return context_.job.train.seed + 1000003ull * (attempt - 1);
}

double PoolStage::learning_rate(std::uint32_t attempt) const {
  if (attempt <= state_->attempts.size()) return state_->attempts[attempt - 1].learning_rate();
  return fresh_rate();
}

double PoolStage::fresh_rate() const {
  // With several families, rates that were too high are not tried again.
  const double slower = plan_.spec.families == 1 ? std::pow(kSlower, failures_) : 1;
  return way(variant_).learning_rate * slower;
}

std::string PoolStage::advice() const {
  if (plan_.spec.families > 1) return "smaller learning rates are tried";
  return fmt::format(
      "A smaller train.learning_rate than {:.3g} may help, or auto, which tries several: new "
      "attempts use {:.3g}",
      learning_rate(attempt_), context_.job.train.learning_rate * std::pow(kSlower, failures_));
}

std::vector<StageEffect> PoolStage::next(const Notice* notice, const PoolNow& now) {
  state_ = now.state;
  if (notice == nullptr) {
    pool_ = replayed(plan_, *state_, &now);
    if (!state_->attempts.empty()) return decide(now);
    return load_fresh();
  }
  switch (await_) {
    case Await::kBegin:
      if (attempt_ == 1 && pass_ == 0 && state_->attempts.empty()) {
        await_ = Await::kUntrained;
        return {Measure{}};
      }
      if (pending_) return carry_out(*std::exchange(pending_, std::nullopt));
      return train();
    case Await::kUntrained: {
      const MetricValue value =
          metric_of(context_.job.promise.metric, std::get<EvaluationFinished>(*notice).sums);
      double metric = for_planner(context_.job.promise.metric, value.value);
      if (plan_.untrained_most > 0) metric = std::min(metric, plan_.untrained_most);
      pool_.set_untrained_metric(metric);
      const plan::PoolStep step = pool_.next(now.left);
      // With the first of the rates, the one that was loaded.
      variant_ = std::get<plan::PoolTrain>(step.action).variant;
      has_chosen_ = true;
      reason_ = step.reason;
      Record record = began_record(step.reason);
      record.fact.mutable_attempt_began()->set_untrained_metric(metric);
      std::vector<StageEffect> effects{std::move(record)};
      add(effects, train());
      return effects;
    }
    case Await::kSwitch: {
      Record record;
      proto::VersionSwitched& fact = *record.fact.mutable_version_switched();
      fact.set_from(version_);
      version_ = way(variant_).version;
      fact.set_to(version_);
      fact.set_reason(reason_);
      rate_watch_.restart();
      await_ = Await::kPass;
      std::vector<StageEffect> effects;
      if (pass_ > 0) effects.push_back(std::move(record));
      add(effects, train());
      return effects;
    }
    case Await::kPass:
      last_pass_ = std::get<PassFinished>(*notice);
      pass_ = last_pass_.pass;
      has_trained_since_save_ = true;
      await_ = Await::kEvaluation;
      return {Measure{}};
    case Await::kEvaluation:
      return on_evaluated(std::get<EvaluationFinished>(*notice), now);
    case Await::kSave: {
      pace_.on_saved(now.seconds);
      has_trained_since_save_ = false;
      std::vector<StageEffect> effects{saved_record(std::get<SaveFinished>(*notice))};
      pool_.on_saved(for_planner(context_.job.promise.metric, metric_->value));
      end_abandoned(effects);
      SURETY_CHECK(pending_.has_value());
      const plan::PoolStep step = *std::exchange(pending_, std::nullopt);
      add(effects, carry_out(step));
      return effects;
    }
  }
  SURETY_CHECK(false);
}

std::vector<StageEffect> PoolStage::restart(const PoolNow& now) {
  failures_ = static_cast<std::uint32_t>(now.state->attempts_failed.size());
  pending_.reset();
  has_trained_since_save_ = false;
  attempt_ = 0;
  return next(nullptr, now);
}

std::optional<std::vector<StageEffect>> PoolStage::failed(const std::string& reason,
                                                          const PoolNow& now) {
  state_ = now.state;
  // Without any attempt, not even the untrained model could be measured.
  if (attempt_ == 0 || state_->attempts.empty() || failures_ >= kFailuresMax) return std::nullopt;
  ++failures_;
  Record record = ended_record(attempt_, reason);
  record.fact.mutable_attempt_ended()->set_came_to_nothing(true);
  std::vector<StageEffect> effects{
      std::move(record),
      Remark{fmt::format("attempt {} failed: {}. {}", attempt_, reason, advice())}};
  exclude_rates(plan_, learning_rate(attempt_), pool_);
  if (attempt_ <= pool_.attempts()) pool_.on_lost(attempt_ - 1);
  // An attempt that ended within its first pass still has a number.
  while (pool_.attempts() < attempt_) pool_.on_failed_start(variant_);
  pending_.reset();
  has_trained_since_save_ = false;
  attempt_ = 0;
  add(effects, decide(now));
  return effects;
}

std::optional<std::vector<StageEffect>> PoolStage::refuse_if_too_slow(double done,
                                                                      const PoolNow& now) {
  state_ = now.state;
  if (await_ != Await::kPass || !state_->passes.empty() || plan_.spec.best_effort) {
    pass_began_s_.reset();
    return std::nullopt;
  }
  if (!pass_began_s_ || done <= 0) {
    pass_began_s_ = now.seconds;
    return std::nullopt;
  }
  const double elapsed_s = now.seconds - *pass_began_s_;
  if (done < kShareToJudge || elapsed_s <= 0) return std::nullopt;
  const double pass_s = elapsed_s / done;
  const plan::PoolVariantSpec& own = plan_.spec.variants[variant_];
  const auto fits = [&](double seconds, double price_per_s) {
    return seconds <= now.left.seconds_left &&
           (!now.left.money_left || seconds * price_per_s <= *now.left.money_left);
  };
  bool any = fits(pass_s - elapsed_s, own.price_per_s);
  for (const plan::PoolVariantSpec& other : plan_.spec.variants) {
    if (&other == &own) continue;
    const double guess = pass_s * other.relative_time / own.relative_time;
    any = any || fits(kGuessOff * guess, other.price_per_s);
  }
  if (any) return std::nullopt;
  const bool time = pass_s - elapsed_s > now.left.seconds_left;
  const double price_per_s = own.price_per_s;
  std::string reason = fmt::format("not a single pass can end: a pass of {} takes about {}",
                                   own.name, time_words(pass_s));
  if (time) {
    const double missing_s = pass_s - elapsed_s - now.left.seconds_left;
    reason += fmt::format(", and {} are left. A deadline of about {} leaves time for one pass",
                          time_words(std::max(0.0, now.left.seconds_left)),
                          time_words(state_->record.deadline_s + missing_s));
  } else {
    const double missing = (pass_s - elapsed_s) * price_per_s - *now.left.money_left;
    reason += fmt::format(" and costs {}, and {} of the budget is left. ",
                          money(pass_s * price_per_s), money(std::max(0.0, *now.left.money_left))) +
              least_budget_words(missing);
  }
  return refuse({.reason_class = time ? "deadline" : "budget",
                 .reason = std::move(reason),
                 .target = {},
                 .probability = {},
                 .seconds_left = {},
                 .money_left = {}});
}

std::optional<std::vector<StageEffect>> PoolStage::out_of_money(double done, const PoolNow& now) {
  state_ = now.state;
  if (!state_->passes.empty() || plan_.spec.best_effort) return std::nullopt;
  const plan::PoolVariantSpec& own = plan_.spec.variants[variant_];
  std::string reason =
      "not a single pass can end: the budget, minus the cost of certifying, is used up ";
  if (await_ == Await::kPass && done > 0 && pass_began_s_) {
    const double elapsed_s = now.seconds - *pass_began_s_;
    const double missing = elapsed_s * (1 / done - 1) * own.price_per_s - *now.left.money_left;
    reason += fmt::format("when the first one is {:.0f} % complete. ", 100 * done) +
              least_budget_words(missing);
  } else if (await_ == Await::kEvaluation) {
    reason += "during the evaluation of the first one. " +
              least_budget_words(std::max(0.0, -*now.left.money_left));
  } else {
    reason += fmt::format("{}: the workers cost {} per second",
                          await_ == Await::kPass
                              ? "too early in the first one to estimate how long it takes"
                              : "before the first one began",
                          money(own.price_per_s));
  }
  return refuse({.reason_class = "budget",
                 .reason = std::move(reason),
                 .target = {},
                 .probability = {},
                 .seconds_left = {},
                 .money_left = {}});
}

// One pass alone seldom keeps a promise, so the text does not offer this budget as a promise.
std::string PoolStage::least_budget_words(double missing) const {
  return fmt::format("A budget of about {} pays for one pass",
                     money(*context_.job.promise.budget + std::max(0.0, missing)));
}

std::vector<StageEffect> PoolStage::load_fresh() {
  attempt_ = pool_.attempts() + 1;
  pass_ = 0;
  version_ = "full";
  metric_.reset();
  has_trained_since_save_ = false;
  pace_.restart();
  rate_watch_.restart();
  await_ = Await::kBegin;
  SessionSpec spec = session_spec(context_, context_.chunks, seed(attempt_));
  spec.task.set_learning_rate(fresh_rate());
  return {BeginSession{std::move(spec)}};
}

std::vector<StageEffect> PoolStage::load(std::uint32_t attempt) {
  const proto::CheckpointCommitted& from = state_->attempt_checkpoints.at(attempt);
  attempt_ = attempt;
  pass_ = from.pass();
  version_ = from.version();
  pace_.restart();
  rate_watch_.restart();
  await_ = Await::kBegin;
  SessionSpec spec = session_spec(context_, context_.chunks, seed(attempt), point_of(from));
  spec.task.set_learning_rate(learning_rate(attempt));
  return {BeginSession{std::move(spec)}};
}

std::vector<StageEffect> PoolStage::train() {
  const std::string& version = way(variant_).version;
  if (version != version_) {
    await_ = Await::kSwitch;
    return {SwitchVersion{version}};
  }
  await_ = Await::kPass;
  std::uint32_t workers = 0;
  for (const plan::NodeCount& nodes : counts()) workers += nodes.count;
  return {TrainPass{workers > 0 ? workers : context_.workers}};
}

std::vector<StageEffect> PoolStage::on_evaluated(const EvaluationFinished& done,
                                                 const PoolNow& now) {
  metric_ = metric_of(context_.job.promise.metric, done.sums);
  Record record;
  proto::PassDone& fact = *record.fact.mutable_pass_done();
  fact = pass_record(last_pass_, *metric_, done.seconds);
  fact.set_attempt(attempt_);
  fact.set_variant(variant_);
  fact.set_version(version_);
  std::vector<StageEffect> effects{std::move(record)};
  const double seconds = last_pass_.seconds + done.seconds;
  pace_.on_trained(seconds);
  pool_.on_pass({.attempt = attempt_ - 1,
                 .variant = variant_,
                 .passes = pass_,
                 .metric = for_planner(context_.job.promise.metric, metric_->value),
                 .metric_se = metric_->se,
                 .seconds = seconds,
                 .workers = last_pass_.workers});
  const bool worse =
      rate_watch_.on_pass(for_planner(context_.job.promise.metric, metric_->value), metric_->se);
  if (worse && context_.job.train.solver == job::Solver::kLocalSgd) {
    effects.push_back(Remark{fmt::format(
        "attempt {}: {}", attempt_,
        worse_words(context_.job.promise.metric, metric_->value, learning_rate(attempt_)))});
  }
  if (failures_ < kFailuresMax && has_not_learned()) {
    add(effects, *failed(fmt::format("after {} its model is no better than an untrained one",
                                     plan::passes_words(pass_)),
                         now));
    return effects;
  }
  add(effects, decide(now));
  return effects;
}

// A linear solver has no learning rate that could be too high.
bool PoolStage::has_not_learned() const {
  if (context_.job.train.solver != job::Solver::kLocalSgd) return false;
  // The state does not have the current pass yet.
  const auto seen = [&](double metric, double se) {
    return plan::SeenMetric{for_planner(context_.job.promise.metric, metric), se};
  };
  const double untrained = state_->attempts.front().untrained_metric();
  std::vector<plan::SeenMetric> passes;
  // Newest values of other attempts with the same rate.
  std::map<std::uint32_t, plan::SeenMetric> others;
  for (const proto::PassDone& pass : state_->passes) {
    const plan::SeenMetric metric = seen(pass.metric(), pass.metric_se());
    if (pass.attempt() == attempt_) {
      if (pass.pass() < pass_) passes.push_back(metric);
    } else if (learning_rate(pass.attempt()) == learning_rate(attempt_)) {
      others[pass.attempt()] = metric;
    }
  }
  passes.push_back(seen(metric_->value, metric_->se));
  const bool another = std::ranges::any_of(
      others, [&](const auto& one) { return plan::is_at_chance(one.second, untrained); });
  return plan::learns_nothing(passes, untrained, another);
}

std::vector<StageEffect> PoolStage::decide(const PoolNow& now) {
  const plan::PoolStep step = pool_.next(now.left);
  left_ = now.left;
  reason_ = step.reason;
  forecast_ = step.forecast;
  std::vector<StageEffect> effects;
  if (step.promised) {
    Record record;
    proto::PromiseStated& fact = *record.fact.mutable_promise_stated();
    fact.set_probability(step.promised->probability);
    fact.set_probability_lower(step.promised->probability_lower);
    fact.set_cost_mean(step.promised->cost_mean);
    fact.set_argument(step.promised->argument);
    effects.push_back(std::move(record));
  }
  // A pool that is rebuilt from the journal, as after a lost model, may find this again.
  if (step.hopeless && !std::exchange(reported_hopeless_, true)) {
    effects.push_back(Remark{"the promise would be refused without best effort: " +
                             step.hopeless->reason + "; training continues"});
  }
  const auto* train = std::get_if<plan::PoolTrain>(&step.action);
  must_pause_ = context_.measures_only && train && (step.promised || state_->record.stated);
  const bool stays = train && train->attempt && *train->attempt + 1 == attempt_;
  // A step that ends training, begins an attempt or changes the version has a record with the
  // reason.
  const bool has_record =
      !train || !train->attempt || (stays && way(train->variant).version != version_);
  if (step.is_notable && !has_record) effects.push_back(Remark{step.reason});
  if (has_trained_since_save_ && (!stays || must_pause_ || !pace_.may_wait(now.seconds))) {
    pending_ = step;
    add(effects, save(now));
    return effects;
  }
  add(effects, carry_out(step));
  return effects;
}

std::vector<StageEffect> PoolStage::save(const PoolNow& now) {
  await_ = Await::kSave;
  pace_.on_began(now.seconds);
  return {SaveCheckpoint{fmt::format("attempt-{}-pass-{:04}", attempt_, pass_)}};
}

Record PoolStage::began_record(const std::string& reason) const {
  Record record;
  proto::AttemptBegan& fact = *record.fact.mutable_attempt_began();
  fact.set_attempt(attempt_);
  fact.set_seed(seed(attempt_));
  fact.set_learning_rate(fresh_rate());
  fact.set_variant(variant_);
  fact.set_reason(reason);
  return record;
}

Record PoolStage::ended_record(std::uint32_t attempt, const std::string& reason) {
  Record record;
  record.fact.mutable_attempt_ended()->set_attempt(attempt);
  record.fact.mutable_attempt_ended()->set_reason(reason);
  return record;
}

Record PoolStage::saved_record(const SaveFinished& saved) const {
  Record record;
  proto::CheckpointCommitted& fact = *record.fact.mutable_checkpoint_committed();
  fact = checkpoint_record(saved, *metric_);
  fact.set_pass(pass_);
  fact.set_version(version_);
  fact.set_attempt(attempt_);
  fact.set_variant(variant_);
  return record;
}

// Disks are finite: checkpoints that no decision would return to are not kept.
void PoolStage::end_abandoned(std::vector<StageEffect>& effects) {
  for (const std::uint32_t index : pool_.abandoned()) {
    const std::uint32_t attempt = index + 1;
    if (attempt == attempt_ || state_->attempts_ended.contains(attempt)) continue;
    const bool has_checkpoint = state_->attempt_checkpoints.contains(attempt);
    pool_.on_lost(index);
    effects.push_back(ended_record(attempt, has_checkpoint
                                                ? "other attempts are nearer to the target"
                                                : "it has no checkpoint"));
  }
}

std::vector<StageEffect> PoolStage::carry_out(const plan::PoolStep& step) {
  if (must_pause_) return {PauseRun{"paused because of --measure-only: the promise is stated"}};
  if (const auto* certify = std::get_if<plan::PoolCertify>(&step.action)) {
    // After a restart the checkpoint is not loaded yet, and may not be readable.
    if (certify->target_met && attempt_ != certify->attempt + 1) {
      pending_ = step;
      return load(certify->attempt + 1);
    }
    return {StageDone{step.reason, certify->target_met}};
  }
  if (const auto* refusal = std::get_if<plan::PoolRefuse>(&step.action)) return refuse(*refusal);
  const auto& train = std::get<plan::PoolTrain>(step.action);
  variant_ = train.variant;
  has_chosen_ = true;
  if (train.attempt && *train.attempt + 1 == attempt_) return this->train();
  if (train.attempt) return load(*train.attempt + 1);
  std::vector<StageEffect> effects = load_fresh();
  effects.insert(effects.begin(), began_record(step.reason));
  return effects;
}

std::vector<StageEffect> PoolStage::refuse(const plan::PoolRefuse& refusal) {
  plan::Infeasible infeasible;
  infeasible.reason_class = refusal.reason_class;
  infeasible.reason = refusal.reason;
  if (failures_ > 0) {
    infeasible.reason += fmt::format(
        "; {} of the attempts did not learn at all: train.learning_rate may be too high, try "
        "{:.3g}",
        failures_, fresh_rate());
  }
  infeasible.probability = refusal.probability;
  // Accuracy is minimised as 1 - accuracy.
  if (refusal.target) infeasible.target = for_planner(context_.job.promise.metric, *refusal.target);
  if (refusal.seconds_left) {
    infeasible.deadline_s = state_->record.deadline_s + *refusal.seconds_left - left_.seconds_left;
  }
  if (refusal.money_left && left_.money_left) {
    infeasible.budget = *context_.job.promise.budget + *refusal.money_left - *left_.money_left;
  }
  Record record;
  record.fact.mutable_plan_chosen()->set_decision_json(plan::to_json(plan::Decision(infeasible)));
  return {std::move(record), StageDone{"the promise is refused: " + refusal.reason, false}};
}

}  // namespace surety::orchestrator
