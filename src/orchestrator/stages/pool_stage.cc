#include "orchestrator/stages/pool_stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/check.h"
#include "base/words.h"
#include "orchestrator/stages/checkpoint_pace.h"
#include "orchestrator/stages/pass_record.h"
#include "orchestrator/stages/pool_replay.h"
#include "orchestrator/stages/session_of_job.h"
#include "plan/files/plan_io.h"
#include "plan/pool/few_samples.h"
#include "plan/pool/learns_nothing.h"
#include "plan/pool/pool_words.h"

namespace surety::orchestrator {
namespace {

void add(std::vector<StageEffect>& to, std::vector<StageEffect> from) {
  std::ranges::move(from, std::back_inserter(to));
}

Record ended_record(std::uint32_t attempt, const std::string& reason) {
  Record record;
  record.fact.mutable_attempt_ended()->set_attempt(attempt);
  record.fact.mutable_attempt_ended()->set_reason(reason);
  return record;
}

// Adds the hint that the validation samples are too few, and keeps it in `hint`. Adds it once.
void hint_at_few_samples(const plan::PoolSpec& spec, const proto::Sums& sums,
                         std::optional<std::string>& hint, std::vector<StageEffect>& effects) {
  if (hint) return;
  const MetricValue seen = metric_of(spec.metric, sums);
  hint = plan::few_samples_words({.metric = spec.metric,
                                  .target = spec.target,
                                  .probability = spec.probability,
                                  .value = for_planner(spec.metric, seen.value),
                                  .se = seen.se,
                                  .samples = sums.samples()});
  if (hint) effects.push_back(Remark{*hint});
}

// Adds the hint that the validation samples are too few, if they may be the cause why the target
// was not reached: the best model is not far from the target.
std::string with_hint(const std::string& reason, const std::optional<std::string>& hint,
                      const RunState& state, const plan::PoolSpec& spec) {
  constexpr double kFar = 2;  // Factor on the target.
  if (!hint || !state.best_checkpoint) return reason;
  const double best = for_planner(spec.metric, state.best_checkpoint->metric());
  return best <= kFar * spec.target ? fmt::format("{}; {}", reason, *hint) : reason;
}

// The deadline or the budget with which the target would probably be reached; absent if none is
// known.
std::optional<std::string> enough_of(const std::vector<plan::MissingRoom>& missing,
                                     const RunState& state, const plan::Promise& promise) {
  constexpr double kSlowerRun = 1.1;  // The next run may be slower than this one.
  std::vector<plan::EnoughRoom> chances;
  for (const plan::MissingRoom& room : missing) {
    plan::EnoughRoom& enough = chances.emplace_back();
    enough.probability = room.probability;
    if (room.seconds) enough.deadline_s = kSlowerRun * (state.record.deadline_s + *room.seconds);
    if (room.money && promise.budget) enough.budget = kSlowerRun * (*promise.budget + *room.money);
  }
  return plan::enough_words(chances);
}

// An evaluation uses half of the validation samples. It computes no gradients, so a sample takes
// about a third of the time that it takes in training.
double evaluation_passes(const StageContext& context, const RunState& state) {
  constexpr double kTimeOfSample = 1.0 / 3;
  double all = 0;
  for (const data::SourceInfo& source : state.beginning.sources) {
    all += static_cast<double>(source.samples);
  }
  double training = 0;
  for (const data::ChunkRange& chunk : context.chunks) {
    training += static_cast<double>(chunk.count);
  }
  return training > 0 ? kTimeOfSample * std::max(0.0, all - training) / 2 / training : 0;
}

}  // namespace

PoolStage::PoolStage(StageContext context, PoolSetup setup, const RunState& state)
    : context_(std::move(context)),
      setup_(std::move(setup)),
      pool_(setup_.spec),
      settings_(context_.job.train, setup_),
      first_pass_(evaluation_passes(context_, state)) {
  settings_.set_failures(state.attempts.failed.size());
}

std::vector<StageEffect> PoolStage::next(const TrainerEvent* event, const PoolNow& now) {
  state_ = now.state;
  if (event == nullptr) {
    pool_ = replayed(setup_, *state_, &now);
    if (!state_->attempts.begun.empty()) return decide(now);
    return load_fresh();
  }
  switch (await_) {
    case Await::kBegin:
      if (current_->number() == 1 && current_->passes() == 0 && state_->attempts.begun.empty()) {
        await_ = Await::kUntrained;
        return {Measure{}};
      }
      if (pending_) return carry_out(*std::exchange(pending_, std::nullopt));
      return train();
    case Await::kUntrained:
      return on_untrained(std::get<EvaluationFinished>(*event), now);
    case Await::kSwitch: {
      Record record;
      proto::VersionSwitched& fact = *record.fact.mutable_version_switched();
      fact.set_from(current_->version());
      current_->on_switched(setup_.version_of(variant_).version);
      fact.set_to(current_->version());
      fact.set_reason(last_choice_.reason);
      await_ = Await::kPass;
      std::vector<StageEffect> effects;
      if (current_->passes() > 0) effects.push_back(std::move(record));
      add(effects, train());
      return effects;
    }
    case Await::kPass:
      current_->on_pass(std::get<PassFinished>(*event));
      await_ = Await::kEvaluation;
      return {Measure{}};
    case Await::kEvaluation:
      return on_evaluated(std::get<EvaluationFinished>(*event), now);
    case Await::kSave: {
      Record record;
      *record.fact.mutable_checkpoint_committed() =
          current_->on_saved(std::get<SaveFinished>(*event), now.seconds, variant_);
      std::vector<StageEffect> effects{std::move(record)};
      pool_.on_saved(for_planner(context_.job.promise.metric, current_->metric().value));
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
  settings_.set_failures(now.state->attempts.failed.size());
  pending_.reset();
  current_.reset();
  return next(nullptr, now);
}

// The untrained model was measured, so the first attempt begins. It has the first of the rates,
// with which the model was loaded.
std::vector<StageEffect> PoolStage::on_untrained(const EvaluationFinished& done,
                                                 const PoolNow& now) {
  const MetricValue value = metric_of(context_.job.promise.metric, done.sums);
  double metric = for_planner(context_.job.promise.metric, value.value);
  if (setup_.untrained_most) metric = std::min(metric, *setup_.untrained_most);
  pool_.set_untrained_metric(metric);
  const plan::PoolStep step = pool_.next(now.left);
  variant_ = std::get<plan::PoolTrain>(step.action).variant;
  has_chosen_ = true;
  last_choice_.reason = step.reason;
  Record record;
  *record.fact.mutable_attempt_began() = settings_.began(current_->number(), variant_, step.reason);
  record.fact.mutable_attempt_began()->set_untrained_metric(metric);
  std::vector<StageEffect> effects{std::move(record)};
  hint_at_few_samples(setup_.spec, done.sums, few_samples_, effects);
  add(effects, train());
  return effects;
}

std::optional<std::vector<StageEffect>> PoolStage::failed(const std::string& reason,
                                                          const PoolNow& now) {
  state_ = now.state;
  // Without any attempt, not even the untrained model could be measured.
  if (!current_ || state_->attempts.begun.empty() || !settings_.may_fail_again())
    return std::nullopt;
  const std::uint32_t attempt = current_->number();
  settings_.on_failed();
  const double rate = settings_.rate(attempt, variant_, *state_);
  Record record = ended_record(attempt, reason);
  record.fact.mutable_attempt_ended()->set_did_not_learn(true);
  std::vector<StageEffect> effects{
      std::move(record),
      Remark{fmt::format("attempt {} failed: {}. {}", attempt, reason, settings_.advice(rate))}};
  exclude_rates(setup_, rate, pool_);
  if (attempt <= pool_.attempts()) pool_.on_lost(attempt - 1);
  // An attempt that ended within its first pass still has a number.
  while (pool_.attempts() < attempt) pool_.on_failed_start(variant_);
  pending_.reset();
  current_.reset();
  add(effects, decide(now));
  return effects;
}

std::optional<std::vector<StageEffect>> PoolStage::refuse_if_too_slow(double done,
                                                                      const PoolNow& now) {
  state_ = now.state;
  if (await_ != Await::kPass || !state_->passes.empty() || setup_.spec.best_effort) {
    first_pass_.stop();
    return std::nullopt;
  }
  const auto refusal =
      first_pass_.watch(done, now, setup_.spec, variant_, context_.job.promise.budget);
  if (!refusal) return std::nullopt;
  return refuse(*refusal);
}

std::optional<std::vector<StageEffect>> PoolStage::out_of_money(double done, const PoolNow& now) {
  state_ = now.state;
  if (!state_->passes.empty() || setup_.spec.best_effort) return std::nullopt;
  FirstPass::Phase phase = FirstPass::Phase::kBefore;
  if (await_ == Await::kPass) phase = FirstPass::Phase::kTraining;
  if (await_ == Await::kEvaluation) phase = FirstPass::Phase::kEvaluation;
  return refuse(first_pass_.out_of_money(phase, done, now, setup_.spec.variants[variant_],
                                         *context_.job.promise.budget));
}

std::vector<plan::NodeCount> PoolStage::counts() const {
  if (!has_chosen_) return {};
  const plan::PoolVariantSpec& variant = setup_.spec.variants[variant_];
  if (!variant.workers) return {};
  return {{setup_.types[variant.nodes], *variant.workers}};
}

std::vector<StageEffect> PoolStage::load_fresh() {
  current_.emplace(pool_.attempts() + 1);
  await_ = Await::kBegin;
  SessionSpec spec = session_spec(context_, context_.chunks, settings_.seed(current_->number()));
  spec.task.set_learning_rate(settings_.fresh_rate(variant_));
  return {BeginSession{std::move(spec)}};
}

std::vector<StageEffect> PoolStage::load(std::uint32_t attempt) {
  const proto::CheckpointCommitted& from = state_->attempts.checkpoints.at(attempt);
  current_.emplace(attempt, from);
  await_ = Await::kBegin;
  SessionSpec spec =
      session_spec(context_, context_.chunks, settings_.seed(attempt), point_of(from));
  spec.task.set_learning_rate(settings_.rate(attempt, variant_, *state_));
  return {BeginSession{std::move(spec)}};
}

std::vector<StageEffect> PoolStage::train() {
  const std::string& version = setup_.version_of(variant_).version;
  if (version != current_->version()) {
    await_ = Await::kSwitch;
    return {SwitchVersion{version}};
  }
  await_ = Await::kPass;
  const std::optional<std::uint32_t> workers = setup_.spec.variants[variant_].workers;
  return {TrainPass{workers ? workers : context_.workers}};
}

std::vector<StageEffect> PoolStage::on_evaluated(const EvaluationFinished& done,
                                                 const PoolNow& now) {
  const plan::Metric kind = context_.job.promise.metric;
  Record record;
  *record.fact.mutable_pass_done() =
      current_->on_evaluated(metric_of(kind, done.sums), done.seconds, variant_);
  std::vector<StageEffect> effects{std::move(record)};
  pool_.on_pass(current_->seen(kind, variant_));
  if (current_->rate_looks_too_high(kind) && context_.job.train.solver == job::Solver::kLocalSgd &&
      warned_.insert(current_->number()).second) {
    const double rate = settings_.rate(current_->number(), variant_, *state_);
    effects.push_back(Remark{fmt::format("attempt {}: {}", current_->number(),
                                         worse_words(kind, current_->metric().value, rate))});
  }
  hint_at_few_samples(setup_.spec, done.sums, few_samples_, effects);
  if (settings_.may_fail_again() && has_not_learned()) {
    add(effects, *failed(fmt::format("after {} its model is no better than an untrained one",
                                     plan::passes_words(current_->passes())),
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
  const double untrained = state_->attempts.begun.front().untrained_metric();
  const auto rate = [&](std::uint32_t attempt) {
    return settings_.rate(attempt, variant_, *state_);
  };
  std::vector<plan::SeenMetric> passes;
  // Newest values of other attempts with the same rate.
  std::map<std::uint32_t, plan::SeenMetric> others;
  for (const RecordedPass& recorded : state_->passes) {
    const proto::PassDone& pass = recorded.done;
    if (pass.attempt() == 0) continue;  // A damaged journal.
    const plan::SeenMetric metric = seen(pass.metric(), pass.metric_se());
    if (pass.attempt() == current_->number()) {
      if (pass.pass() < current_->passes()) passes.push_back(metric);
    } else if (rate(pass.attempt()) == rate(current_->number())) {
      others[pass.attempt()] = metric;
    }
  }
  passes.push_back(seen(current_->metric().value, current_->metric().se));
  const bool another = std::ranges::any_of(
      others, [&](const auto& one) { return plan::is_at_chance(one.second, untrained); });
  return plan::learns_nothing(passes, untrained, another);
}

std::vector<StageEffect> PoolStage::decide(const PoolNow& now) {
  const plan::PoolStep step = pool_.next(now.left);
  const auto* train = std::get_if<plan::PoolTrain>(&step.action);
  last_choice_ = {
      .left = now.left,
      .reason = step.reason,
      .forecast = step.forecast,
      .must_pause = context_.measures_only && train && (step.promised || state_->record.stated)};
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
  if (step.refused_but_continued) {
    Record record;
    record.fact.mutable_promise_refused()->set_decision_json(
        plan::to_json(plan::Decision(refusal_of(*step.refused_but_continued))));
    effects.push_back(std::move(record));
  }
  const bool stays = train && train->attempt && attempt() == *train->attempt + 1;
  // A step that ends training, begins an attempt or changes the version has a record with the
  // reason.
  const bool has_record =
      !train || !train->attempt ||
      (stays && setup_.version_of(train->variant).version != current_->version());
  if (step.is_notable && !has_record) effects.push_back(Remark{step.reason});
  const double left_s = seconds_to_end(now.left.seconds_left, now.left.money_left,
                                       setup_.spec.variants[variant_].price_per_s);
  const bool may_wait = stays && !last_choice_.must_pause &&
                        !pool_.must_save(current_->may_hurry_save()) &&
                        current_->may_postpone_save(now.seconds, left_s);
  if (current_ && current_->has_unsaved() && !may_wait) {
    pending_ = step;
    await_ = Await::kSave;
    effects.push_back(SaveCheckpoint{current_->begin_save(now.seconds)});
    return effects;
  }
  add(effects, carry_out(step));
  return effects;
}

// Because disks are finite, checkpoints that no decision would use are not kept.
void PoolStage::end_abandoned(std::vector<StageEffect>& effects) {
  for (const std::uint32_t index : pool_.abandoned()) {
    const std::uint32_t number = index + 1;
    if (attempt() == number || state_->attempts.ended.contains(number)) continue;
    const bool has_checkpoint = state_->attempts.checkpoints.contains(number);
    pool_.on_lost(index);
    effects.push_back(ended_record(number, has_checkpoint
                                               ? "other attempts are nearer to the target"
                                               : "it has no checkpoint"));
  }
}

std::vector<StageEffect> PoolStage::carry_out(const plan::PoolStep& step) {
  if (last_choice_.must_pause)
    return {PauseRun{"paused because of --measure-only: the promise is stated"}};
  if (const auto* certify = std::get_if<plan::PoolCertify>(&step.action)) {
    // After a restart the checkpoint is not loaded yet, and may not be readable.
    if (certify->target_met && attempt() != certify->attempt + 1) {
      pending_ = step;
      return load(certify->attempt + 1);
    }
    if (certify->target_met) return {StageDone{step.reason, true}};
    return {StageDone{with_hint(step.reason, few_samples_, *state_, setup_.spec), false,
                      enough_of(step.missing, *state_, context_.job.promise)}};
  }
  if (const auto* refusal = std::get_if<plan::PoolRefuse>(&step.action)) return refuse(*refusal);
  const auto& train = std::get<plan::PoolTrain>(step.action);
  variant_ = train.variant;
  has_chosen_ = true;
  if (train.attempt && attempt() == *train.attempt + 1) return this->train();
  if (train.attempt) return load(*train.attempt + 1);
  std::vector<StageEffect> effects = load_fresh();
  Record record;
  *record.fact.mutable_attempt_began() = settings_.began(current_->number(), variant_, step.reason);
  effects.insert(effects.begin(), std::move(record));
  return effects;
}

std::optional<std::string> PoolStage::what_would_do(const PoolNow& now) const {
  if (now.state->attempts.begun.empty()) return std::nullopt;
  return enough_of(pool_.missing(now.left), *now.state, context_.job.promise);
}

plan::Infeasible PoolStage::refusal_of(const plan::PoolRefuse& refusal) const {
  plan::Infeasible infeasible;
  infeasible.reason_class = refusal.reason_class;
  infeasible.reason = refusal.reason;
  if (settings_.failures() > 0) {
    infeasible.reason += fmt::format(
        "; {} of the attempts did not learn at all: train.learning_rate may be too high, try "
        "{:.3g}",
        settings_.failures(), settings_.fresh_rate(variant_));
  }
  infeasible.reason = with_hint(infeasible.reason, few_samples_, *state_, setup_.spec);
  infeasible.probability = refusal.probability;
  // Accuracy is minimised as 1 - accuracy.
  if (refusal.target) infeasible.target = for_planner(context_.job.promise.metric, *refusal.target);
  if (refusal.seconds_left) {
    infeasible.deadline_s =
        state_->record.deadline_s + *refusal.seconds_left - last_choice_.left.seconds_left;
  }
  if (refusal.pass_money && last_choice_.left.money_left) {
    constexpr double kReserve = 1.1;  // The next run may be slower than this one.
    const double enough =
        *context_.job.promise.budget + *refusal.pass_money - *last_choice_.left.money_left;
    infeasible.reason +=
        fmt::format("; a budget of about {} pays for one more pass", money_up(kReserve * enough));
  }
  if (refusal.money_left && last_choice_.left.money_left) {
    infeasible.budget =
        *context_.job.promise.budget + *refusal.money_left - *last_choice_.left.money_left;
  }
  return infeasible;
}

std::vector<StageEffect> PoolStage::refuse(const plan::PoolRefuse& refusal) {
  const plan::Infeasible infeasible = refusal_of(refusal);
  Record record;
  record.fact.mutable_plan_chosen()->set_decision_json(plan::to_json(plan::Decision(infeasible)));
  return {std::move(record), StageDone{"the promise is refused: " + infeasible.reason, false}};
}

}  // namespace surety::orchestrator
