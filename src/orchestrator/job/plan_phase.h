// Waits for the plan of a run that was profiled first. The planner may compute for a minute, so it
// works beside the machine (MakePlan, orchestrator/ledger/job_events.h). Meanwhile workers may
// join, leave and crash, and the deadline may pass.
#pragma once

#include <optional>

#include "orchestrator/job/phase.h"

namespace surety::orchestrator {

class PlanPhase final : public Phase {
 public:
  PlanPhase(const PhaseContext& context, const EnterPlan& profiled)
      : Phase(context), profiled_(profiled) {}

  [[nodiscard]] PhaseChange begin() override;
  // The workers have no orders in this phase.
  [[nodiscard]] PhaseChange on_trainer_event(const TrainerEvent&) override { return Stay{}; }
  [[nodiscard]] PhaseChange on_model_lost() override { return Stay{}; }
  [[nodiscard]] PhaseChange on_tick() override;
  [[nodiscard]] PhaseChange on_plan_made(const PlanMade& made) override;
  [[nodiscard]] std::optional<Waiting> waits_for() const override {
    return Waiting{"the planner", began_s_};
  }

 private:
  const EnterPlan profiled_;
  double began_s_ = 0;
  // What was used up when the planner began. It counts from there; people count from the start.
  double spent_s_ = 0;
  double paid_ = 0;
};

}  // namespace surety::orchestrator
