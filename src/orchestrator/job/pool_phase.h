// Trains with a pool of attempts (orchestrator/stages/pool_stage.h), of which the best one is
// certified.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "orchestrator/job/phase.h"
#include "orchestrator/stages/pool_stage.h"

namespace surety::orchestrator {

class PoolPhase final : public Phase {
 public:
  using Phase::Phase;

  [[nodiscard]] PhaseChange begin() override;
  [[nodiscard]] PhaseChange on_trainer_event(const TrainerEvent& event) override;
  [[nodiscard]] PhaseChange on_model_lost() override;
  [[nodiscard]] PhaseChange on_unreadable(const Error& error) override;
  [[nodiscard]] PhaseChange on_fatal_error(const Error& error) override;
  [[nodiscard]] PhaseChange on_tick() override;
  [[nodiscard]] std::optional<Wanted> wanted() const override;
  void describe(JobView& view) const override;

 private:
  // Training is cut short. Adds the time or the money that would have been enough.
  [[nodiscard]] EnterCertify with_what_would_do(EnterCertify end) const;
  [[nodiscard]] PhaseChange advance(const TrainerEvent* event);
  [[nodiscard]] PoolNow moment() const;
  [[nodiscard]] std::string what_is_left(std::uint32_t attempt) const;

  std::optional<PoolStage> stage_;  // Absent before begin().
};

}  // namespace surety::orchestrator
