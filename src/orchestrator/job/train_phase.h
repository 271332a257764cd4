// Trains by a plan, or with fixed settings (orchestrator/stages/training_stage.h).
#pragma once

#include <optional>
#include <vector>

#include "orchestrator/job/phase.h"
#include "orchestrator/stages/training_stage.h"

namespace surety::orchestrator {

class TrainPhase final : public Phase {
 public:
  using Phase::Phase;

  [[nodiscard]] PhaseChange begin() override;
  [[nodiscard]] PhaseChange on_trainer_event(const TrainerEvent& event) override;
  [[nodiscard]] PhaseChange on_model_lost() override;
  [[nodiscard]] PhaseChange on_unreadable(const Error& error) override;
  [[nodiscard]] PhaseChange on_fatal_error(const Error& error) override;
  [[nodiscard]] PhaseChange on_tick() override;
  [[nodiscard]] std::optional<Wanted> wanted() const override;

 private:
  [[nodiscard]] PhaseChange advance(const TrainerEvent* event);
  [[nodiscard]] PhaseChange restart();
  [[nodiscard]] TrainingPoint point() const;
  [[nodiscard]] std::vector<plan::PassSeen> history() const;

  std::optional<TrainingStage> stage_;  // Absent before begin().
};

}  // namespace surety::orchestrator
