// The training stage: it trains by a plan, or with fixed settings.
//
// It is a step machine over the trainer's events (orchestrator/session/trainer_events.h). It
// decides the next order for the trainer and the facts for the journal. It uses no workers and no
// connections, and the origin of the clock does not matter to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "elastic/policy/scale_in.h"
#include "orchestrator/history/metric.h"
#include "orchestrator/session/trainer_events.h"
#include "orchestrator/stages/checkpoint_pace.h"
#include "orchestrator/stages/rate_watch.h"
#include "orchestrator/stages/stage_effects.h"
#include "orchestrator/stages/training_point.h"
#include "plan/plan.h"
#include "plan/planner/controller.h"

namespace surety::orchestrator {

class TrainingStage {
 public:
  // `history`: the observations of the passes up to `from`, in order.
  TrainingStage(StageContext context, plan::Plan plan, TrainingPoint from,
                const std::vector<plan::PassSeen>& history);

  // `now` has the time to the deadline, reduced by the time for certification.
  [[nodiscard]] std::vector<StageEffect> next(const TrainerEvent* event, const plan::Moment& now);
  // Starts again from this point after the model was lost with its last holder.
  [[nodiscard]] std::vector<StageEffect> restart(TrainingPoint from,
                                                 const std::vector<plan::PassSeen>& history);

  [[nodiscard]] const TrainingPoint& point() const { return point_; }
  // Workers that the current block wants; none means all.
  [[nodiscard]] std::optional<std::uint32_t> nodes() const;
  // Nodes of the current block by type; empty means any.
  [[nodiscard]] const std::vector<plan::NodeCount>& counts() const {
    return plan_.blocks[point_.block].counts;
  }
  // The reason for which nodes() is smaller than in the plan, if a policy decided this.
  [[nodiscard]] std::optional<std::string> why_fewer() const;
  [[nodiscard]] const std::optional<MetricValue>& metric() const { return metric_; }

 private:
  enum class Await : std::uint8_t { kBegin, kAgain, kSwitch, kPass, kEvaluation, kSave };
  // The number of workers that scale-in kept.
  struct NodesKept {
    std::uint32_t count = 0;
    std::string reason;
  };
  [[nodiscard]] std::vector<StageEffect> begin();
  [[nodiscard]] std::vector<StageEffect> enter_block();
  [[nodiscard]] std::vector<StageEffect> after_evaluation(const EvaluationFinished& done,
                                                          const plan::Moment& now);
  // The number of nodes in the plan's current block; none means any number.
  [[nodiscard]] std::optional<std::uint32_t> nodes_planned() const;
  [[nodiscard]] bool may_save_later(const plan::Moment& now) const;
  [[nodiscard]] Record saved_record(const SaveFinished& saved) const;
  [[nodiscard]] TrainPass train_pass() const;
  [[nodiscard]] bool may_scale_in() const;
  [[nodiscard]] std::vector<StageEffect> follow_duality_gap(const EvaluationFinished& done);
  // Carries out the decision of the plan's controller.
  [[nodiscard]] std::vector<StageEffect> act_on(const plan::Step& step);

  StageContext context_;
  plan::Plan plan_;
  plan::Controller controller_;
  TrainingPoint point_;
  Await await_ = Await::kBegin;
  PassFinished last_pass_;
  std::optional<MetricValue> metric_;
  std::string switch_reason_;
  std::optional<elastic::ScaleIn> scale_in_;  // Set from the first pass of this session on.
  std::uint32_t present_ = 0;                 // Workers at the end of the last pass.
  std::optional<NodesKept> nodes_kept_;
  CheckpointPace pace_;
  RateWatch rate_watch_;
};

}  // namespace surety::orchestrator
