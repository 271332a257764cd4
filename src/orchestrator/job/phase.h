// A phase of a job: gather workers, probe links, profile, train, certify. Each is a step machine
// over the notices of the trainer. A call returns what becomes of the job next; the job machine
// (job_machine.h) makes the phase that follows.
//
// Pure: no clock, no I/O.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "data/split.h"
#include "orchestrator/job/checkpoint_folders.h"
#include "orchestrator/job/job_config.h"
#include "orchestrator/job/job_events.h"
#include "orchestrator/job/job_view.h"
#include "orchestrator/job/ledger.h"
#include "orchestrator/job/staffing.h"
#include "orchestrator/job/workforce.h"
#include "orchestrator/stages/stage_effects.h"
#include "orchestrator/training/session.h"
#include "orchestrator/training/trainer.h"

namespace surety::orchestrator {

// ---- what follows a call ------------------------------------------------------------------------
struct Stay {};
struct EnterProbe {};
struct EnterProfile {};
struct EnterPool {};
struct EnterTraining {};
// Training is over, for this reason.
struct EnterCertify {
  std::string reason;
  bool target_met = false;
};
struct EndRun {  // The run has its result, or its refusal.
  std::string reason;
};
using Next = std::variant<Stay, EnterProbe, EnterProfile, EnterPool, EnterTraining, EnterCertify,
                          EndRun, Finish>;

// What phases work with.
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

  // It is called first, and once.
  [[nodiscard]] virtual Next begin() = 0;
  // The result of an order; not one of the failures below.
  [[nodiscard]] virtual Next on_notice(const Notice& notice) = 0;
  // Every worker that held the model is gone.
  [[nodiscard]] virtual Next on_model_lost() = 0;
  // The checkpoint that the session was to start from cannot be used. Ends the run, unless a phase
  // has another one.
  [[nodiscard]] virtual Next on_unreadable(const Error& error) { return failed(error); }
  // An error that no other worker could avoid. Ends the run, unless a phase knows better.
  [[nodiscard]] virtual Next on_fatal_error(const Error& error) { return failed(error); }
  [[nodiscard]] virtual Next on_tick() { return Stay{}; }
  // A worker has joined.
  [[nodiscard]] virtual Next on_joined();
  // Other nodes than before can be started.
  virtual void on_nodes_changed() { staffing().fit(); }

  // The workers that this phase wants. Absent: none is replaced or released.
  [[nodiscard]] virtual std::optional<Wanted> wanted() const;
  // What the job waits for while this is the current phase.
  [[nodiscard]] virtual std::optional<Waiting> waits_for() const { return trainer().waits_for(); }
  // Adds what a person wants to know of this phase, also after it is over.
  virtual void describe(JobView& view) const { static_cast<void>(view); }

 protected:
  [[nodiscard]] const JobConfig& config() const { return context_.config; }
  [[nodiscard]] const PhaseContext& context() const { return context_; }
  [[nodiscard]] Ledger& ledger() const { return context_.ledger; }
  [[nodiscard]] const RunState& state() const { return ledger().state(); }
  [[nodiscard]] Trainer& trainer() const { return context_.trainer; }
  [[nodiscard]] Staffing& staffing() const { return context_.staffing; }
  // Carries out a stage's orders. Returns what follows if they end the phase.
  [[nodiscard]] Next carry_out(const std::vector<StageEffect>& effects);
  // All orders of the stage are done.
  [[nodiscard]] virtual Next on_stage_done(const StageDone& done);

 private:
  // The user must correct bad input: a retry with it would fail the same way.
  [[nodiscard]] static Next failed(const Error& error);

  const PhaseContext context_;
};

// ---- what several phases do ---------------------------------------------------------------------
// Training uses a pool of attempts.
[[nodiscard]] bool uses_pool(const JobConfig& config, const RunState& state);
[[nodiscard]] StageContext stage_context(const JobConfig& config,
                                         std::vector<data::ChunkRange> chunks);
// Chunks of the plan's data sets.
[[nodiscard]] std::vector<data::ChunkRange> training_chunks(const JobConfig& config,
                                                            const RunState& state);
// The newest checkpoint, where training continues; absent if there is none.
[[nodiscard]] std::optional<proto::CheckpointCommitted> newest_checkpoint(const RunState& state);
// Measures the model on this split, or the duality gap.
void measure(const PhaseContext& context, data::Split split);
// Adds the fact that a checkpoint is of no use any more.
void drop_checkpoint(Ledger& ledger, const std::string& folder, const Error& error);
// "the run returns to pass 3".
[[nodiscard]] std::string returns_to_text(const proto::CheckpointCommitted& checkpoint);
// The promise cannot be kept, and the run ends.
[[nodiscard]] Next refuse(Ledger& ledger, plan::ReasonClass reason_class,
                          const std::string& reason);
// Training stops where it is, and what it has is certified.
[[nodiscard]] Next stop_at_deadline(Trainer& trainer);
// The same where the budget is used up.
[[nodiscard]] Next stop_at_budget(Trainer& trainer);
// A pass has ended if the notice says so.
void note_pass(const Notice& notice, Workforce& workforce);

}  // namespace surety::orchestrator
