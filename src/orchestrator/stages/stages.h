// The profile stage and the training stage: each decides its next order from the result of the last
// one.
//
// Each is a step machine over the trainer's events (orchestrator/session/session_spec.h). It
// decides the next order for the trainer and the facts for the journal. Neither stage uses workers,
// connections or the origin of the clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "data/sources/chunk.h"
#include "elastic/policy/scale_in.h"
#include "job/job.h"
#include "orchestrator/history/metric.h"
#include "orchestrator/session/session_spec.h"
#include "orchestrator/stages/checkpoint_pace.h"
#include "orchestrator/stages/rate_watch.h"
#include "orchestrator/stages/stage_effects.h"
#include "plan/plan.h"
#include "plan/planner/controller.h"

namespace surety::orchestrator {

// ---- profile ------------------------------------------------------------------------------------
// One run of one version: `passes` passes, with an evaluation before and after each. At the end of
// a pruned run its model is grown to a fuller version and trained for one more pass, to measure the
// effect of such a change on the metric. The first seed grows it to the full version; the other
// seeds use the fuller versions in turn.
struct ProfileRun {
  std::uint32_t index = 0;
  std::string version;
  std::uint32_t seed = 0;
  double data_fraction = 1;
  std::optional<std::uint32_t> workers;  // None means all workers that are present.
};
// Ordered by seed, so that a profile that ends early has each version equally often.
[[nodiscard]] std::vector<ProfileRun> profile_runs(const job::Job& job);

class ProfileStage {
 public:
  ProfileStage(StageContext context, std::vector<ProfileRun> runs);

  // `event` is null at the start, and when the current run must start over (its model was lost).
  [[nodiscard]] std::vector<StageEffect> next(const TrainerEvent* event);
  // Ends the stage after the current run, or, if that comes later, after one run of each version.
  // The time or the money does not allow more runs.
  void cut_short();

  // Whether cut_short() has omitted runs.
  [[nodiscard]] bool was_cut() const { return was_cut_; }

  [[nodiscard]] std::size_t done() const { return at_; }
  [[nodiscard]] std::size_t total() const { return runs_.size(); }
  [[nodiscard]] const ProfileRun* current() const {
    return at_ < runs_.size() ? &runs_[at_] : nullptr;
  }

 private:
  enum class Await : std::uint8_t {
    kBegin,
    kFirstSwitch,
    kEvaluation,
    kPass,
    kChange,
    kChangePass,
    kChangeEvaluation
  };
  [[nodiscard]] std::vector<StageEffect> begin_run();
  [[nodiscard]] std::vector<StageEffect> after_evaluation(const EvaluationFinished& done);
  [[nodiscard]] std::vector<StageEffect> after_change(const EvaluationFinished& done);
  [[nodiscard]] std::vector<StageEffect> finish_run();

  StageContext context_;
  std::vector<ProfileRun> runs_;  // The first ones are of different versions.
  std::size_t at_ = 0;
  bool was_cut_ = false;
  Await await_ = Await::kBegin;
  std::uint32_t pass_ = 0;
  double metric_ = 0;  // The metric that was measured last.
  PassFinished last_pass_;
  std::string grown_to_;  // The version that the current run was grown to at its end.
  double change_seconds_ = 0;
};

// ---- training -----------------------------------------------------------------------------------
// The current point in training; also what a checkpoint lets training resume from.
struct TrainingPoint {
  std::uint32_t pass = 0;
  std::uint32_t block = 0;  // Index into plan.blocks.
  std::uint32_t pass_in_block = 0;
  std::string version = "full";
  std::optional<SavedModel> saved;                 // None means a fresh model.
  std::map<std::uint32_t, StateFile> state_files;  // The key is the chunk's id.
};

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

// A session on these chunks, with the settings of the job's `model:` and `train:` sections. Without
// a checkpoint in `from` it begins with a fresh model.
[[nodiscard]] SessionSpec session_spec(const StageContext& context,
                                       std::vector<data::ChunkRange> chunks, std::uint64_t seed,
                                       const TrainingPoint& from = {});
// The chunks for a data fraction, chosen by the seed; all chunks for the fraction 1.
[[nodiscard]] std::vector<data::ChunkRange> fraction_of(const std::vector<data::ChunkRange>& chunks,
                                                        double fraction, std::uint64_t seed);

}  // namespace surety::orchestrator
