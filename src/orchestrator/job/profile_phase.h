// Trains each version for a few passes, to measure the input of a plan
// (orchestrator/stages/profile_stage.h).
#pragma once

#include <optional>

#include "orchestrator/job/phase.h"
#include "orchestrator/stages/profile_stage.h"

namespace surety::orchestrator {

class ProfilePhase final : public Phase {
 public:
  using Phase::Phase;

  [[nodiscard]] PhaseChange begin() override;
  [[nodiscard]] PhaseChange on_trainer_event(const TrainerEvent& event) override;
  [[nodiscard]] PhaseChange on_model_lost() override;
  [[nodiscard]] PhaseChange on_tick() override;
  void describe(JobView& view) const override;

 private:
  [[nodiscard]] PhaseChange on_stage_done(const StageDone& done) override;
  [[nodiscard]] bool is_out_of_time() const;
  // Refuses the promise, because no time or money is left for training.
  [[nodiscard]] PhaseChange refuse_unmeasured(plan::ReasonClass reason_class);

  std::optional<ProfileStage> stage_;  // Absent before begin().
  // The resource that measuring would use up if it were not cut short.
  plan::ReasonClass cut_for_ = plan::ReasonClass::kDeadline;
};

}  // namespace surety::orchestrator
