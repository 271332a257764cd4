// A phase of a job: gather workers, probe links, profile, plan, train, certify. Each is a step
// machine over the events of the trainer. A call returns how the job continues; the job machine
// (job_machine.h) makes the next phase.
//
// Pure: no clock, no I/O.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "data/split.h"
#include "orchestrator/job/checkpoint_folders.h"
#include "orchestrator/job/job_view.h"
#include "orchestrator/ledger/job_config.h"
#include "orchestrator/ledger/job_events.h"
#include "orchestrator/ledger/ledger.h"
#include "orchestrator/session/trainer_events.h"
#include "orchestrator/stages/stage_effects.h"
#include "orchestrator/training/trainer.h"
#include "orchestrator/workforce/staffing.h"
#include "orchestrator/workforce/workforce.h"

namespace surety::orchestrator {

// ---- results of a call --------------------------------------------------------------------------
struct Stay {};
struct EnterProbe {};
struct EnterProfile {};
// The plan is made from the profile.
struct EnterPlan {
  // The resource that was too scarce for all profile runs: time or money. It is absent if measuring
  // was not cut short.
  std::optional<plan::ReasonClass> too_scarce{};
  std::size_t runs = 0;  // Profile runs that ended.
};
struct EnterPool {};
struct EnterTraining {};
// Training is over, for this reason.
struct EnterCertify {
  std::string reason;
  bool target_met = false;
  // The time or the money with which the target would probably have been reached, as a sentence;
  // absent if it is not known.
  std::optional<std::string> enough{};
};
struct EndRun {  // The run ends with its result or a refusal.
  std::string reason;
};
using PhaseChange = std::variant<Stay, EnterProbe, EnterProfile, EnterPlan, EnterPool,
                                 EnterTraining, EnterCertify, EndRun, Finish>;

// The objects that phases use.
struct PhaseContext {
  const JobConfig& config;
  std::array<std::uint64_t, 2> validation_samples;  // The number in each half, by data::Split.
  Ledger& ledger;
  Trainer& trainer;
  Workforce& workforce;
  Staffing& staffing;
  CheckpointFolders& folders;
};

class Phase {
 public:
  explicit Phase(const PhaseContext& context) : context_(context) {}
  virtual ~Phase() = default;
  Phase(const Phase&) = delete;
  Phase& operator=(const Phase&) = delete;

  // Called once, before all other functions.
  [[nodiscard]] virtual PhaseChange begin() = 0;
  // The result of an order, except the failures below.
  [[nodiscard]] virtual PhaseChange on_trainer_event(const TrainerEvent& event) = 0;
  // All workers that held the model are lost or have left.
  [[nodiscard]] virtual PhaseChange on_model_lost() = 0;
  // The checkpoint from which the session should start cannot be used. Ends the run, unless the
  // phase has another checkpoint.
  [[nodiscard]] virtual PhaseChange on_unreadable(const Error& error);
  // An error that no other worker could avoid. Ends the run, unless the phase overrides this.
  [[nodiscard]] virtual PhaseChange on_fatal_error(const Error& error);
  // The result of MakePlan. A phase that did not request it ignores it: it comes late.
  [[nodiscard]] virtual PhaseChange on_plan_made(const PlanMade& made) {
    static_cast<void>(made);
    return Stay{};
  }
  [[nodiscard]] virtual PhaseChange on_tick() { return Stay{}; }
  // A worker has joined.
  [[nodiscard]] virtual PhaseChange on_joined();
  // The nodes that can be started have changed.
  virtual void on_nodes_changed() { staffing().fit(); }

  // The workers that this phase wants. If absent, no worker is replaced or released.
  [[nodiscard]] virtual std::optional<Wanted> wanted() const;
  // A description of what the job waits for in this phase.
  [[nodiscard]] virtual std::optional<Waiting> waits_for() const { return trainer().waits_for(); }
  // Adds the information about this phase for people, even after the phase has ended.
  virtual void describe(JobView& view) const { static_cast<void>(view); }

 protected:
  [[nodiscard]] const JobConfig& config() const { return context_.config; }
  [[nodiscard]] const PhaseContext& context() const { return context_; }
  [[nodiscard]] Ledger& ledger() const { return context_.ledger; }
  [[nodiscard]] const RunState& state() const { return ledger().state(); }
  [[nodiscard]] Trainer& trainer() const { return context_.trainer; }
  [[nodiscard]] Staffing& staffing() const { return context_.staffing; }
  // Carries out a stage's orders. Returns what follows if they end the phase.
  [[nodiscard]] PhaseChange carry_out(const std::vector<StageEffect>& effects);
  // All orders of the stage are done.
  [[nodiscard]] virtual PhaseChange on_stage_done(const StageDone& done);

 private:
  const PhaseContext context_;
};

// ---- functions of several phases ----------------------------------------------------------------
// Whether training uses a pool of attempts.
[[nodiscard]] bool uses_pool(const JobConfig& config, const RunState& state);
[[nodiscard]] StageContext stage_context(const JobConfig& config,
                                         std::vector<data::ChunkRange> chunks);
// Chunks of the plan's data sets.
[[nodiscard]] std::vector<data::ChunkRange> chunks_of_plan(const JobConfig& config,
                                                           const RunState& state);
// The newest checkpoint, where training continues; absent if there is none.
[[nodiscard]] std::optional<proto::CheckpointCommitted> newest_checkpoint(const RunState& state);
// Measures the model on this split, or the duality gap.
void measure(const PhaseContext& context, data::Split split);
// Adds the fact that a checkpoint cannot be used any more.
void drop_checkpoint(Ledger& ledger, const std::string& folder, const Error& error);
// "the run returns to pass 3".
[[nodiscard]] std::string returns_to_text(const proto::CheckpointCommitted& checkpoint);
// The promise cannot be kept, and the run ends.
[[nodiscard]] PhaseChange refuse(Ledger& ledger, plan::ReasonClass reason_class,
                                 const std::string& reason);
// Training stops, and the best checkpoint so far is certified.
[[nodiscard]] EnterCertify stop_at_deadline(Trainer& trainer);
// Training stops because the budget is used up, and the best checkpoint so far is certified.
[[nodiscard]] EnterCertify stop_at_budget(Trainer& trainer);
// A pass has ended if the event says so.
void note_pass(const TrainerEvent& event, Workforce& workforce);

}  // namespace surety::orchestrator
