// Waits for the first workers. It ends when all expected workers have joined, or when enough have
// joined and the others take too long. The promise is refused once no pass can end in time any
// more. A resumed run that has no time left certifies its best checkpoint, and does not evaluate
// its passes again.
#pragma once

#include <optional>
#include <string>

#include "orchestrator/job/phase.h"

namespace surety::orchestrator {

class GatherPhase final : public Phase {
 public:
  // `has_running_workers`: those of an earlier coordinator still run, and will join again.
  GatherPhase(const PhaseContext& context, bool has_running_workers);

  [[nodiscard]] PhaseChange begin() override;
  [[nodiscard]] PhaseChange on_trainer_event(const TrainerEvent& event) override;
  [[nodiscard]] PhaseChange on_model_lost() override { return Stay{}; }
  [[nodiscard]] PhaseChange on_tick() override;
  [[nodiscard]] PhaseChange on_joined() override;
  void on_nodes_changed() override;
  [[nodiscard]] std::optional<Wanted> wanted() const override;
  [[nodiscard]] std::optional<Waiting> waits_for() const override { return waiting(); }

 private:
  [[nodiscard]] PhaseChange check();
  [[nodiscard]] bool is_complete() const;
  [[nodiscard]] Waiting waiting() const;
  [[nodiscard]] NodeTarget first_nodes() const;
  [[nodiscard]] bool has_no_time() const;
  [[nodiscard]] PhaseChange end_without_training();
  [[nodiscard]] PhaseChange watch_deadline();
  [[nodiscard]] PhaseChange watch_budget();
  [[nodiscard]] bool may_refuse() const;
  void log_time_taken();

  double limit_s_ = 0;   // Longest wait for all workers.
  bool warned_ = false;  // The log has a warning that gathering uses up the deadline.
};

}  // namespace surety::orchestrator
