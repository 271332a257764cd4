// The pool of attempts (plan/pool) as a step machine over the trainer's events. It decides the next
// order for the trainer and the facts for the journal. It does not use workers, connections or a
// clock.
//
// An attempt is one model in training; attempts are numbered from 1. The current one is *loaded*,
// the others exist as their newest checkpoints. The current one is saved before another is loaded.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "orchestrator/history/run_state.h"
#include "orchestrator/session/trainer_events.h"
#include "orchestrator/stages/attempt_settings.h"
#include "orchestrator/stages/current_attempt.h"
#include "orchestrator/stages/first_pass.h"
#include "orchestrator/stages/pool_replay.h"
#include "orchestrator/stages/pool_setup.h"
#include "orchestrator/stages/stage_effects.h"
#include "plan/pool/attempt_pool.h"

namespace surety::orchestrator {

class PoolStage {
 public:
  // Starts from the state of the run's journal.
  PoolStage(StageContext context, PoolSetup setup, const RunState& state);

  // `event` is null at the start.
  [[nodiscard]] std::vector<StageEffect> next(const TrainerEvent* event, const PoolNow& now);
  // Continues from the journal's state: the current model is lost with its last holder, or its
  // checkpoint cannot be read.
  [[nodiscard]] std::vector<StageEffect> restart(const PoolNow& now);
  // The current attempt failed (its model is not finite any more), so another one continues.
  // Returns nothing if too many attempts have failed.
  [[nodiscard]] std::optional<std::vector<StageEffect>> failed(const std::string& reason,
                                                               const PoolNow& now);

  // To be called during the run's very first pass, of which the share `done` is done. Refuses the
  // promise if neither this pass nor one of a faster variant can end within the time and the money.
  [[nodiscard]] std::optional<std::vector<StageEffect>> refuse_if_too_slow(double done,
                                                                           const PoolNow& now);
  // The budget is used up. If no pass has ended yet, the promise is refused, because it could not
  // have been kept. Returns nothing if the run may certify its best checkpoint. REQUIRES: the job
  // has a budget.
  [[nodiscard]] std::optional<std::vector<StageEffect>> out_of_money(double done,
                                                                     const PoolNow& now);

  // Training is cut short. The deadline or the budget with which the target would probably have
  // been reached, as a sentence; absent if none is known.
  [[nodiscard]] std::optional<std::string> what_would_do(const PoolNow& now) const;

  // Nodes that the current variant wants, by type. Empty means any nodes; this is the case before
  // the first decision.
  [[nodiscard]] std::vector<plan::NodeCount> counts() const;
  // The current attempt; none while no model is loaded or being loaded.
  [[nodiscard]] std::optional<std::uint32_t> attempt() const {
    return current_ ? std::optional(current_->number()) : std::nullopt;
  }
  // The expected time of reaching the target, for people, if the last choice has one.
  [[nodiscard]] const std::optional<std::string>& forecast() const { return last_choice_.forecast; }

 private:
  enum class Await : std::uint8_t { kBegin, kUntrained, kSwitch, kPass, kEvaluation, kSave };

  // What the pool chose last.
  struct LastChoice {
    plan::PoolMoment left{};  // Time and money left.
    std::string reason{};
    std::optional<std::string> forecast{};
    bool must_pause = false;  // The run pauses instead of carrying out the step.
  };

  [[nodiscard]] std::vector<StageEffect> load_fresh();
  [[nodiscard]] std::vector<StageEffect> load(std::uint32_t attempt);
  [[nodiscard]] std::vector<StageEffect> train();
  [[nodiscard]] std::vector<StageEffect> on_untrained(const EvaluationFinished& done,
                                                      const PoolNow& now);
  [[nodiscard]] std::vector<StageEffect> on_evaluated(const EvaluationFinished& done,
                                                      const PoolNow& now);
  [[nodiscard]] std::vector<StageEffect> decide(const PoolNow& now);
  [[nodiscard]] std::vector<StageEffect> carry_out(const plan::PoolStep& step);
  [[nodiscard]] plan::Infeasible refusal_of(const plan::PoolRefuse& refusal) const;
  [[nodiscard]] std::vector<StageEffect> refuse(const plan::PoolRefuse& refusal);
  void end_abandoned(std::vector<StageEffect>& effects);
  [[nodiscard]] bool has_not_learned() const;

  StageContext context_;
  PoolSetup setup_;
  const RunState* state_ = nullptr;  // State of the current call.
  plan::AttemptPool pool_;
  AttemptSettings settings_;
  FirstPass first_pass_;
  std::optional<CurrentAttempt> current_;
  Await await_ = Await::kBegin;
  std::uint32_t variant_ = 0;
  bool has_chosen_ = false;  // variant_ is set by a decision.
  LastChoice last_choice_;
  std::optional<plan::PoolStep> pending_;   // A step to carry out after a save or a load.
  std::set<std::uint32_t> warned_;          // Attempts whose rate was reported as too high.
  std::optional<std::string> few_samples_;  // The hint (plan/pool/few_samples.h), once given.
};

}  // namespace surety::orchestrator
