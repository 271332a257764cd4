// The pool of attempts (plan/pool) as a step machine over notices. It decides what the trainer does
// next and which facts go into the journal. It knows no workers, connections or clock.
//
// An attempt is one model in training; attempts are numbered from 1. The current one is *loaded*,
// the others exist as their newest checkpoints. The current one is saved before another is loaded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "orchestrator/history/run_state.h"
#include "orchestrator/job/checkpoint_pace.h"
#include "orchestrator/job/pool_replay.h"
#include "orchestrator/job/pool_spec.h"
#include "orchestrator/job/rate_watch.h"
#include "orchestrator/job/stage_effects.h"
#include "orchestrator/training/metric.h"
#include "orchestrator/training/session.h"
#include "plan/pool/attempt_pool.h"

namespace surety::orchestrator {

class PoolStage {
 public:
  // Starts from the state that the run's journal gives.
  PoolStage(StageContext context, PoolPlan plan, const RunState& state);

  // `notice` is null at the start.
  [[nodiscard]] std::vector<StageEffect> next(const Notice* notice, const PoolNow& now);
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
  // have been kept. Returns nothing if the run may certify what it has. REQUIRES: the job has a
  // budget.
  [[nodiscard]] std::optional<std::vector<StageEffect>> out_of_money(double done,
                                                                     const PoolNow& now);

  // Nodes that the current variant wants, by type. Empty means any, as before the first decision.
  [[nodiscard]] std::vector<plan::NodeCount> counts() const {
    return has_chosen_ ? plan_.counts[variant_] : std::vector<plan::NodeCount>();
  }
  // A checkpoint is being loaded.
  [[nodiscard]] bool is_loading() const { return await_ == Await::kBegin && pass_ > 0; }
  // The current attempt; 0 means none yet.
  [[nodiscard]] std::uint32_t attempt() const { return attempt_; }
  // When the target is expected, for people; may be empty.
  [[nodiscard]] const std::string& forecast() const { return forecast_; }

 private:
  enum class Await : std::uint8_t { kBegin, kUntrained, kSwitch, kPass, kEvaluation, kSave };

  [[nodiscard]] std::vector<StageEffect> load_fresh();
  [[nodiscard]] std::vector<StageEffect> load(std::uint32_t attempt);
  [[nodiscard]] std::vector<StageEffect> train();
  [[nodiscard]] std::vector<StageEffect> on_evaluated(const EvaluationFinished& done,
                                                      const PoolNow& now);
  [[nodiscard]] std::vector<StageEffect> decide(const PoolNow& now);
  [[nodiscard]] std::vector<StageEffect> carry_out(const plan::PoolStep& step);
  [[nodiscard]] std::vector<StageEffect> refuse(const plan::PoolRefuse& refusal);
  [[nodiscard]] std::string least_budget_words(double missing) const;
  [[nodiscard]] std::vector<StageEffect> save(const PoolNow& now);
  [[nodiscard]] Record saved_record(const SaveFinished& saved) const;
  [[nodiscard]] Record began_record(const std::string& reason) const;
  [[nodiscard]] static Record ended_record(std::uint32_t attempt, const std::string& reason);
  void end_abandoned(std::vector<StageEffect>& effects);
  [[nodiscard]] double learning_rate(std::uint32_t attempt) const;
  // Learning rate of an attempt that begins with variant_.
  [[nodiscard]] double fresh_rate() const;
  [[nodiscard]] const PoolWay& way(std::uint32_t variant) const {
    return plan_.ways[plan_.spec.variants[variant].version];
  }
  [[nodiscard]] std::string advice() const;
  [[nodiscard]] bool has_not_learned() const;
  [[nodiscard]] std::uint64_t seed(std::uint32_t attempt) const;

  StageContext context_;
  PoolPlan plan_;
  const RunState* state_ = nullptr;  // State of the current call.
  plan::AttemptPool pool_;
  Await await_ = Await::kBegin;
  std::uint32_t attempt_ = 0;
  std::uint32_t variant_ = 0;
  std::uint32_t pass_ = 0;
  bool has_chosen_ = false;       // variant_ is set by a decision.
  std::string version_ = "full";  // Version of the loaded model.
  bool has_trained_since_save_ = false;
  // The log says that the promise would be refused without best effort.
  bool reported_hopeless_ = false;
  bool must_pause_ = false;  // Pause instead of carrying out the last decision.
  // Start of the current pass, in seconds since training began.
  std::optional<double> pass_began_s_;
  std::optional<plan::PoolStep> pending_;  // A step to carry out after a save.
  PassFinished last_pass_;
  std::optional<MetricValue> metric_;
  CheckpointPace pace_;
  RateWatch rate_watch_;        // Watches the current attempt.
  plan::PoolMoment left_;       // Time and money left at the last decision.
  std::uint32_t failures_ = 0;  // Number of failed attempts.
  std::string reason_;          // Set by the last decision.
  std::string forecast_;        // Set by the last decision.
};

}  // namespace surety::orchestrator
