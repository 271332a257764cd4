// Measures one checkpoint on data that influenced no decision: the checkpoint that met the target,
// or the best one.
#pragma once

#include <utility>

#include "orchestrator/job/phase.h"

namespace surety::orchestrator {

class CertifyPhase final : public Phase {
 public:
  CertifyPhase(const PhaseContext& context, EnterCertify why)
      : Phase(context), why_(std::move(why)) {}

  [[nodiscard]] PhaseChange begin() override;
  [[nodiscard]] PhaseChange on_trainer_event(const TrainerEvent& event) override;
  [[nodiscard]] PhaseChange on_model_lost() override { return again(); }
  [[nodiscard]] PhaseChange on_unreadable(const Error& error) override;
  [[nodiscard]] PhaseChange on_tick() override;

 private:
  [[nodiscard]] PhaseChange again();
  [[nodiscard]] PhaseChange on_measured(const EvaluationFinished& done);

  EnterCertify why_;
  proto::CheckpointCommitted checkpoint_;  // The checkpoint that is being certified.
};

}  // namespace surety::orchestrator
