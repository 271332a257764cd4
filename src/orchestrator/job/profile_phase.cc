#include "orchestrator/job/profile_phase.h"

#include <fmt/format.h>

#include <utility>

namespace surety::orchestrator {
namespace {

// Profiling stops early when this share of the time to the deadline has passed, or of the budget
// was spent: the rest must be enough for training.
constexpr double kProfileShareMax = 0.5;

}  // namespace

PhaseChange ProfilePhase::begin() {
  ledger().begin_phase(RunPhase::kProfile);
  std::vector<ProfileRun> runs = profile_runs(config().job);
  std::erase_if(
      runs, [&](const ProfileRun& run) { return state().profile_runs.done.contains(run.index); });
  stage_.emplace(stage_context(config(), config().chunks), std::move(runs));
  return carry_out(stage_->next(nullptr));
}

PhaseChange ProfilePhase::on_trainer_event(const TrainerEvent& event) {
  return carry_out(stage_->next(&event));
}

PhaseChange ProfilePhase::on_model_lost() { return carry_out(stage_->next(nullptr)); }

PhaseChange ProfilePhase::on_tick() {
  if (config().mode != RunMode::kRun) return Stay{};
  const bool is_late = ledger().now_s() > kProfileShareMax * state().record.deadline_s;
  const std::optional<double>& budget = config().job.promise.budget;
  const bool is_dear = budget && *ledger().money_left() < (1 - kProfileShareMax) * *budget;
  if ((is_late || is_dear) && !stage_->was_cut()) {
    cut_for_ = is_late ? plan::ReasonClass::kDeadline : plan::ReasonClass::kBudget;
    stage_->cut_short();
  }
  // A pass that does not end, for example because all workers are lost, must not delay the end of
  // the run.
  if (is_out_of_time()) return refuse_unmeasured(plan::ReasonClass::kDeadline);
  if (ledger().is_out_of_money()) return refuse_unmeasured(plan::ReasonClass::kBudget);
  return Stay{};
}

bool ProfilePhase::is_out_of_time() const { return ledger().seconds_left() <= 0; }

PhaseChange ProfilePhase::refuse_unmeasured(plan::ReasonClass reason_class) {
  trainer().forget_order();
  const bool by_time = reason_class == plan::ReasonClass::kDeadline;
  return refuse(
      ledger(), reason_class,
      fmt::format("measuring {} before a plan could be made: {} of {} profile runs ended. "
                  "{}, or fewer profile runs (profile.seeds, profile.data_fractions), "
                  "would leave enough for training",
                  by_time ? "took until the deadline" : "used up the budget", stage_->done(),
                  stage_->total(),
                  by_time ? "A later promise.deadline" : "A larger promise.budget"));
}

void ProfilePhase::describe(JobView& view) const {
  if (!stage_) return;
  view.profile_runs = static_cast<std::uint32_t>(stage_->total());
  view.profile_runs_done = static_cast<std::uint32_t>(stage_->done());
  if (const ProfileRun* run = stage_->current()) view.version = run->version;
}

PhaseChange ProfilePhase::on_stage_done(const StageDone& done) {
  static_cast<void>(done);
  if (config().mode == RunMode::kProfile) return EndRun{"the profile is complete"};
  if (is_out_of_time()) return refuse_unmeasured(plan::ReasonClass::kDeadline);
  if (ledger().is_out_of_money()) return refuse_unmeasured(plan::ReasonClass::kBudget);
  return EnterPlan{stage_->was_cut() ? std::optional(cut_for_) : std::nullopt, stage_->done()};
}

}  // namespace surety::orchestrator
