// Measures the links between all pairs of workers, one after the other, while time allows.
#pragma once

#include <utility>
#include <vector>

#include "orchestrator/job/phase.h"

namespace surety::orchestrator {

class ProbePhase final : public Phase {
 public:
  using Phase::Phase;

  [[nodiscard]] PhaseChange begin() override;
  [[nodiscard]] PhaseChange on_trainer_event(const TrainerEvent& event) override;
  [[nodiscard]] PhaseChange on_tick() override;
  [[nodiscard]] PhaseChange on_model_lost() override { return Stay{}; }  // There is no model yet.

 private:
  [[nodiscard]] PhaseChange probe_next();

  double began_s_ = 0;
  std::vector<std::pair<WorkerId, WorkerId>> links_;  // Links that are still to be measured.
};

}  // namespace surety::orchestrator
