#include "orchestrator/job/profile_phase.h"

#include <algorithm>
#include <utility>

#include "orchestrator/stages/checked_plan.h"
#include "orchestrator/stages/plan_instance.h"
#include "plan/plan_options.h"

namespace surety::orchestrator {
namespace {

// Profiling stops early when this share of the time to the deadline has passed: the rest must be
// enough for training.
constexpr double kProfileShareMax = 0.5;

}  // namespace

Next ProfilePhase::begin() {
  ledger().begin_phase(RunPhase::kProfile);
  std::vector<ProfileRun> runs = profile_runs(config().job);
  std::erase_if(runs,
                [&](const ProfileRun& run) { return state().profile_done.contains(run.index); });
  stage_.emplace(stage_context(config(), config().chunks), std::move(runs));
  return carry_out(stage_->next(nullptr));
}

Next ProfilePhase::on_notice(const Notice& notice) { return carry_out(stage_->next(&notice)); }

Next ProfilePhase::on_model_lost() { return carry_out(stage_->next(nullptr)); }

Next ProfilePhase::on_tick() {
  const bool is_late = ledger().now_s() > kProfileShareMax * state().record.deadline_s;
  if (config().mode != RunMode::kRun) return Stay{};
  if (is_late) stage_->cut_short();
  if (!ledger().is_past_deadline()) return Stay{};
  // A pass that does not end, as where all workers are lost, must not outlast the run.
  trainer().forget_order();
  return refuse(ledger(), plan::ReasonClass::kDeadline, "measuring took until the deadline");
}

void ProfilePhase::describe(JobView& view) const {
  if (!stage_) return;
  view.profile_runs = static_cast<std::uint32_t>(stage_->total());
  view.profile_runs_done = static_cast<std::uint32_t>(stage_->done());
  if (const ProfileRun* run = stage_->current()) view.version = run->version;
}

Next ProfilePhase::on_stage_done(const StageDone& done) {
  static_cast<void>(done);
  if (config().mode == RunMode::kProfile) return EndRun{"the profile is complete"};
  return decide_plan();
}

Next ProfilePhase::decide_plan() {
  ledger().begin_phase(RunPhase::kPlan);
  plan::PlanOptions options;
  options.seed = config().job.train.seed;
  const double spent_s = ledger().now_s() + ledger().certify_reserve_s();
  plan::Instance instance =
      plan_instance(config().job, config().sources, context().workforce.staying(),
                    state().record.deadline_s - spent_s);
  const double paid = state().record.profile_cost;
  if (instance.promise.budget) {
    *instance.promise.budget = std::max(0.0, *instance.promise.budget - paid);
  }
  Result<plan::Decision> decision = make_checked_plan(instance, state().profile, options);
  if (!decision) return Finish{Ending::kFailed, "planning: " + decision.error().message};
  // The planner counts from now, people count from the start of the run.
  if (auto* infeasible = std::get_if<plan::Infeasible>(&*decision)) {
    if (infeasible->deadline_s) *infeasible->deadline_s += spent_s;
    if (infeasible->budget) *infeasible->budget += paid;
  }
  ledger().choose(*decision);
  if (state().record.infeasible) return EndRun{state().record.infeasible->reason};
  return EnterTraining{};
}

}  // namespace surety::orchestrator
