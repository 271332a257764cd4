// The job as one step machine: gather workers, profile, plan, train, certify.
//
// step(now, event) returns effects in the order in which they must be carried out. Every fact that
// matters after a crash is appended to the journal before the effects that depend on it
// (orchestrator/ledger/ledger.h).
//
//   run:      gather -> train -> certify -> ended, with a pool of attempts (pool_phase.h)
//   train:    the same, with a plan or with fixed settings (train_phase.h)
//   profile:  gather -> probe -> profile -> ended
//
// A run that may drop data sets has no pool, but a profile and a plan:
//
//   gather -> probe -> profile -> plan -> train -> certify -> ended
//
// Once a result is certified, the workers are dismissed, and a new process measures it again; then
// the run ends.
//
// The machine passes events on: those of workers to the workforce and its staffing
// (orchestrator/workforce), and the events of the trainer to the current phase (phase.h), which
// decides the next action.
//
// Pure: no clock, no I/O. Time is seconds since the run began.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "orchestrator/history/run_state.h"
#include "orchestrator/job/job_view.h"
#include "orchestrator/job/phase.h"
#include "orchestrator/job/second_measurement.h"
#include "orchestrator/ledger/job_config.h"
#include "orchestrator/ledger/job_events.h"
#include "orchestrator/ledger/ledger.h"
#include "orchestrator/training/trainer.h"
#include "orchestrator/workforce/node_pool.h"
#include "orchestrator/workforce/places.h"
#include "orchestrator/workforce/staffing.h"
#include "orchestrator/workforce/workforce.h"

namespace surety::orchestrator {

class JobMachine {
 public:
  // `state` is initial_state(job), or the state replayed from a journal to resume.
  JobMachine(JobConfig config, RunState state);
  JobMachine(const JobMachine&) = delete;
  JobMachine& operator=(const JobMachine&) = delete;

  [[nodiscard]] std::vector<Effect> step(double now_s, const Event& event);
  // The latest time for step(Tick) if nothing else happens.
  [[nodiscard]] double deadline_s() const;

  [[nodiscard]] const RunState& state() const { return ledger_.state(); }
  [[nodiscard]] JobView view() const;

 private:
  void on(const Started& event);
  void on(const WorkerHello& event);
  void on(const WorkerMessage& event);
  void on(const ConnectionLost& event);
  void on(const WorkerProcessEnded& event);
  void on(const WorkersNotStarted& event);
  void on(const NodesAvailable& event);
  void on(const StopRequested&);
  void on(const PlanMade& event) { go(phase_->on_plan_made(event)); }
  void on(const Tick&);
  void on_worker_gone();

  // Whether the phases are over: the run has ended, or its second measurement is under way.
  [[nodiscard]] bool is_over() const { return has_ended_ || second_; }
  void pump();
  void go(PhaseChange next);
  void end(const std::string& reason);
  void finish(const Finish& how);

  JobConfig config_;
  Ledger ledger_;
  Trainer trainer_;
  NodePool nodes_;
  Places places_;
  Workforce workforce_;
  Staffing staffing_;
  CheckpointFolders folders_;
  const PhaseContext context_;
  std::unique_ptr<Phase> phase_;  // Null before Started.
  // Finished phases, for the view.
  std::vector<std::unique_ptr<Phase>> past_;
  // Absent before it begins. Then the workers are dismissed, and no phase goes on.
  std::optional<SecondMeasurement> second_;
  bool has_ended_ = false;
  double ticked_s_ = 0;
};

}  // namespace surety::orchestrator
