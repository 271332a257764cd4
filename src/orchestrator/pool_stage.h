// The pool of attempts (plan/pool) as a step machine over notices: what the trainer does next, and
// which facts go into the journal. Knows no workers, connections or clock.
//
// An attempt is one model in training, from 1. The one in hand is *loaded*; the others lie in their
// newest checkpoints. Before another one is loaded the one in hand is saved.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "orchestrator/checkpoint_pace.h"
#include "orchestrator/metric.h"
#include "orchestrator/pool_replay.h"
#include "orchestrator/pool_spec.h"
#include "orchestrator/rate_watch.h"
#include "orchestrator/run_state.h"
#include "orchestrator/session.h"
#include "orchestrator/stage_effects.h"
#include "plan/pool/attempt_pool.h"

namespace surety::orchestrator {

class PoolStage {
 public:
  // Stands where the run's journal left it.
  PoolStage(StageContext context, PoolPlan plan, const RunState& state);

  // `notice` is null at the start.
  [[nodiscard]] std::vector<StageEffect> next(const Notice* notice, const PoolNow& now);
  // The model in hand is lost with its last holder, or its checkpoint cannot be read: on from what
  // the journal has.
  [[nodiscard]] std::vector<StageEffect> restart(const PoolNow& now);
  // The attempt in hand came to nothing (its model is not finite any more): another one goes on.
  // None: too many did.
  [[nodiscard]] std::optional<std::vector<StageEffect>> failed(const std::string& reason,
                                                               const PoolNow& now);

  // During the run's very first pass, of which this share is done: the promise is refused where
  // neither it nor one of a quicker variant can end in time and for the money.
  [[nodiscard]] std::optional<std::vector<StageEffect>> foresee(double done, const PoolNow& now);
  // The budget is used up. Where no pass has ended yet, the promise is refused: it could not be
  // kept with any luck. None: what there is may be certified. REQUIRES: the job has a budget.
  [[nodiscard]] std::optional<std::vector<StageEffect>> out_of_money(double done,
                                                                     const PoolNow& now);

  // That the variant in hand wants, by type; empty: any, as before the first decision.
  [[nodiscard]] std::vector<plan::NodeCount> counts() const {
    return has_chosen_ ? plan_.counts[variant_] : std::vector<plan::NodeCount>();
  }
  // A checkpoint is being loaded.
  [[nodiscard]] bool is_loading() const { return await_ == Await::kBegin && pass_ > 0; }
  [[nodiscard]] std::uint32_t attempt() const { return attempt_; }  // In hand; 0: none yet.
  // When the target is expected, for people; may be empty.
  [[nodiscard]] const std::string& forecast() const { return forecast_; }

 private:
  enum class Await : std::uint8_t { kBegin, kUntrained, kSwitch, kPass, kEvaluation, kSave };

  [[nodiscard]] std::vector<StageEffect> load_fresh();
  [[nodiscard]] std::vector<StageEffect> load(std::uint32_t attempt);
  [[nodiscard]] std::vector<StageEffect> train();
  [[nodiscard]] std::vector<StageEffect> evaluated(const EvaluationFinished& done,
                                                   const PoolNow& now);
  [[nodiscard]] std::vector<StageEffect> decide(const PoolNow& now);
  [[nodiscard]] std::vector<StageEffect> carry_out(const plan::PoolStep& step);
  [[nodiscard]] std::vector<StageEffect> refuse(const plan::PoolRefuse& refusal);
  [[nodiscard]] std::string least_budget_words(double missing) const;
  [[nodiscard]] std::vector<StageEffect> save(const PoolNow& now);
  [[nodiscard]] Record saved_record(const SaveFinished& saved) const;
  [[nodiscard]] Record began_record(const std::string& reason) const;
  [[nodiscard]] static Record ended_record(std::uint32_t attempt, const std::string& reason);
  void end_given_up(std::vector<StageEffect>& effects);
  [[nodiscard]] double learning_rate(std::uint32_t attempt) const;
  [[nodiscard]] double fresh_rate() const;  // Of an attempt that begins with variant_.
  [[nodiscard]] const PoolWay& way(std::uint32_t variant) const {
    return plan_.ways[plan_.spec.variants[variant].version];
  }
  [[nodiscard]] std::string advice() const;
  [[nodiscard]] bool has_not_learned() const;
  [[nodiscard]] std::uint64_t seed(std::uint32_t attempt) const;

  StageContext context_;
  PoolPlan plan_;
  const RunState* state_ = nullptr;  // Of the call in hand.
  plan::AttemptPool pool_;
  Await await_ = Await::kBegin;
  std::uint32_t attempt_ = 0, variant_ = 0, pass_ = 0;
  bool has_chosen_ = false;       // variant_.
  std::string version_ = "full";  // Of the loaded model.
  bool trained_since_save_ = false;
  bool said_hopeless_ = false;             // That the promise would be refused without best effort.
  bool pauses_ = false;                    // Instead of the last decision.
  std::optional<double> pass_began_s_;     // The one in hand, since training began.
  std::optional<plan::PoolStep> pending_;  // To be carried out after a save.
  PassFinished last_pass_;
  std::optional<MetricValue> metric_;
  CheckpointPace pace_;
  RateWatch rate_watch_;           // Of the attempt in hand.
  plan::PoolMoment left_;          // At the last decision.
  std::uint32_t failures_ = 0;     // Attempts that came to nothing.
  std::string reason_, forecast_;  // Of the last decision.
};

}  // namespace surety::orchestrator
