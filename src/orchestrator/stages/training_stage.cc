#include "orchestrator/stages/training_stage.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "orchestrator/stages/pass_record.h"
#include "orchestrator/stages/session_of_job.h"

namespace surety::orchestrator {
namespace {

plan::Controller follow(const plan::Plan& plan, plan::Metric metric,
                        const std::vector<plan::PassSeen>& history) {
  plan::Controller controller(plan, metric);
  for (const plan::PassSeen& seen : history) controller.observe(seen);
  // Remarks of the replayed decisions were logged when they were made.
  static_cast<void>(controller.take_remark());
  return controller;
}

}  // namespace

TrainingStage::TrainingStage(StageContext context, plan::Plan plan, TrainingPoint from,
                             const std::vector<plan::PassSeen>& history)
    : context_(std::move(context)),
      plan_(std::move(plan)),
      controller_(follow(plan_, context_.job.promise.metric, history)),
      point_(std::move(from)) {
  if (!point_.saved) point_.block = plan_.first_block;
  SURETY_CHECK(point_.block < plan_.blocks.size());
}

std::optional<std::uint32_t> TrainingStage::nodes_planned() const {
  return plan_.blocks[point_.block].nodes;
}

std::optional<std::uint32_t> TrainingStage::nodes() const {
  return nodes_kept_ ? nodes_kept_->count : nodes_planned();
}

std::optional<std::string> TrainingStage::why_fewer() const {
  return nodes_kept_ ? std::optional(nodes_kept_->reason) : std::nullopt;
}

// The plan's forecast was measured with the number of workers that it plans for.
TrainPass TrainingStage::train_pass() const {
  const std::optional<std::uint32_t> planned = nodes_planned();
  return {.workers = planned ? planned : context_.workers};
}

// A plan decides about nodes itself; with fixed settings the job uses the workers that are present.
bool TrainingStage::may_scale_in() const {
  const plan::Block& block = plan_.blocks[point_.block];
  return context_.job.train.policies.scale_in && plan_.blocks.size() == 1 && !block.nodes &&
         block.counts.empty();
}

// While scale-in tries a number of workers, the others rest. Workers that are not needed any more
// are released (nodes()).
std::vector<StageEffect> TrainingStage::follow_duality_gap(const EvaluationFinished& done) {
  if (!may_scale_in()) return {};
  const std::uint32_t present = last_pass_.present;
  if (!scale_in_) {
    scale_in_.emplace(std::max(present, 1u),
                      elastic::ScaleInOptions{.workers_min = context_.job.cluster.workers_min,
                                              .minimum_first = context_.job.train.aggregation ==
                                                               job::Aggregation::kSafe});
  } else if (present != present_ && present != scale_in_->kept()) {
    scale_in_->limit(std::max(present, 1u));
  }
  present_ = present;
  const double seconds = last_pass_.seconds + done.seconds;
  const auto work_with = [this] {
    if (scale_in_->workers() >= present_) return WorkWith{};
    return WorkWith{scale_in_->workers()};
  };
  if (last_pass_.workers != scale_in_->workers()) {
    scale_in_->observe_transition(metric_->value, seconds);
    return {work_with()};
  }
  const std::string before = scale_in_->reason();
  const bool is_other = scale_in_->observe(metric_->value, seconds);
  if (scale_in_->reason() == before) return {};
  const bool is_kept = nodes_kept_ && nodes_kept_->count == scale_in_->kept();
  if (scale_in_->kept() < present_ && !is_kept) {
    nodes_kept_ = NodesKept{scale_in_->kept(), scale_in_->reason()};
  }
  std::vector<StageEffect> effects{
      Remark{fmt::format("pass {}: {}", point_.pass, scale_in_->reason())}};
  if (is_other) effects.push_back(work_with());
  return effects;
}

std::vector<StageEffect> TrainingStage::restart(TrainingPoint from,
                                                const std::vector<plan::PassSeen>& history) {
  point_ = std::move(from);
  if (!point_.saved) point_.block = plan_.first_block;
  controller_ = follow(plan_, context_.job.promise.metric, history);
  return begin();
}

std::vector<StageEffect> TrainingStage::begin() {
  await_ = Await::kBegin;
  pace_.restart();
  rate_watch_.on_model_changed();
  scale_in_.reset();
  return {BeginSession{session_spec(context_, context_.chunks, context_.job.train.seed, point_)}};
}

std::vector<StageEffect> TrainingStage::next(const TrainerEvent* event, const plan::Moment& now) {
  if (event == nullptr) return begin();
  switch (await_) {
    case Await::kBegin:
      if (point_.saved) {  // The decision after that checkpoint may not have been made.
        await_ = Await::kAgain;
        return {Measure{}};
      }
      switch_reason_ = "the plan begins with it";
      return enter_block();
    case Await::kAgain:
      metric_ = metric_of(context_.job.promise.metric, std::get<EvaluationFinished>(*event).sums);
      return act_on(controller_.next(now));
    case Await::kSwitch: {
      Record record;
      proto::VersionSwitched& fact = *record.fact.mutable_version_switched();
      fact.set_from(point_.version);
      fact.set_to(plan_.blocks[point_.block].version);
      fact.set_block(point_.block);
      fact.set_reason(switch_reason_);
      point_.version = plan_.blocks[point_.block].version;
      await_ = Await::kPass;
      rate_watch_.on_model_changed();
      return {std::move(record), train_pass()};
    }
    case Await::kPass:
      last_pass_ = std::get<PassFinished>(*event);
      point_.pass = last_pass_.pass;
      ++point_.pass_in_block;
      await_ = Await::kEvaluation;
      return {Measure{}};
    case Await::kEvaluation:
      return after_evaluation(std::get<EvaluationFinished>(*event), now);
    case Await::kSave: {
      pace_.on_saved(now.seconds);
      std::vector<StageEffect> effects{saved_record(std::get<SaveFinished>(*event))};
      for (StageEffect& effect : act_on(controller_.next(now)))
        effects.push_back(std::move(effect));
      return effects;
    }
  }
  SURETY_CHECK(false);
}

std::vector<StageEffect> TrainingStage::enter_block() {
  const std::string& version = plan_.blocks[point_.block].version;
  if (version == point_.version) {
    await_ = Await::kPass;
    return {train_pass()};
  }
  await_ = Await::kSwitch;
  return {SwitchVersion{version}};
}

std::vector<StageEffect> TrainingStage::after_evaluation(const EvaluationFinished& done,
                                                         const plan::Moment& now) {
  metric_ = metric_of(context_.job.promise.metric, done.sums);
  Record record;
  proto::PassDone& fact = *record.fact.mutable_pass_done();
  fact = pass_record(last_pass_, *metric_, done.seconds);
  fact.set_pass(point_.pass);
  fact.set_block(point_.block);
  fact.set_pass_in_block(point_.pass_in_block);
  fact.set_version(point_.version);
  controller_.observe({.block = point_.block,
                       .seconds = now.seconds,
                       .pass_s = last_pass_.seconds + done.seconds,
                       .metric = for_planner(context_.job.promise.metric, metric_->value),
                       .metric_se = metric_->se});
  std::vector<StageEffect> effects{std::move(record)};
  const bool worse =
      rate_watch_.on_pass(for_planner(context_.job.promise.metric, metric_->value), metric_->se);
  if (worse && context_.job.train.solver == job::Solver::kLocalSgd) {
    effects.push_back(Remark{worse_words(context_.job.promise.metric, metric_->value,
                                         context_.job.train.learning_rate)});
  }
  for (StageEffect& effect : follow_duality_gap(done)) effects.push_back(std::move(effect));
  pace_.on_trained(last_pass_.seconds + done.seconds);
  if (may_save_later(now)) {
    const plan::Step step = controller_.next(now);
    // There is always a checkpoint if training ends or the version changes.
    if (std::holds_alternative<plan::Continue>(step.action)) {
      for (StageEffect& effect : act_on(step)) effects.push_back(std::move(effect));
      return effects;
    }
  }
  await_ = Await::kSave;
  pace_.on_began(now.seconds);
  effects.push_back(SaveCheckpoint{fmt::format("pass-{:04}", point_.pass)});
  return effects;
}

// Used if training continues. A model that meets the target is saved at once, because the time may
// end in the next pass.
bool TrainingStage::may_save_later(const plan::Moment& now) const {
  const plan::Promise& promise = context_.job.promise;
  const double left_s = seconds_to_end(now.seconds_left, now.money_left,
                                       plan_.blocks[point_.block].price_per_s.value_or(0));
  return pace_.may_wait(now.seconds, left_s) && point_.pass < context_.job.train.passes_max &&
         !meets(promise.metric, metric_->value, promise.target);
}

Record TrainingStage::saved_record(const SaveFinished& saved) const {
  Record record;
  proto::CheckpointCommitted& fact = *record.fact.mutable_checkpoint_committed();
  fact = checkpoint_record(saved, *metric_);
  fact.set_pass(point_.pass);
  fact.set_block(point_.block);
  fact.set_pass_in_block(point_.pass_in_block);
  fact.set_version(point_.version);
  return record;
}

std::vector<StageEffect> TrainingStage::act_on(const plan::Step& step) {
  std::vector<StageEffect> effects;
  if (std::optional<std::string> remark = controller_.take_remark()) {
    effects.push_back(Remark{*std::move(remark)});
  }
  if (const auto* stop = std::get_if<plan::Stop>(&step.action)) {
    effects.push_back(StageDone{step.reason, stop->target_met});
  } else if (point_.pass >= context_.job.train.passes_max) {
    effects.push_back(StageDone{fmt::format("train.passes_max = {} reached", point_.pass), false});
  } else if (const auto* change = std::get_if<plan::SwitchTo>(&step.action)) {
    point_.block = change->block;
    point_.pass_in_block = 0;
    switch_reason_ = step.reason;
    effects.push_back(Remark{step.reason});
    for (StageEffect& effect : enter_block()) effects.push_back(std::move(effect));
  } else {
    if (step.is_notable) effects.push_back(Remark{step.reason});
    await_ = Await::kPass;
    effects.push_back(train_pass());
  }
  return effects;
}

}  // namespace surety::orchestrator
