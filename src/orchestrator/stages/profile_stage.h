// The profile stage: the runs that measure each version of the model before a plan is made.
//
// It is a step machine over the trainer's events (orchestrator/session/trainer_events.h). It
// decides the next order for the trainer and the facts for the journal. It uses no workers, no
// connections and no clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "job/job.h"
#include "orchestrator/session/trainer_events.h"
#include "orchestrator/stages/stage_effects.h"

namespace surety::orchestrator {

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

}  // namespace surety::orchestrator
