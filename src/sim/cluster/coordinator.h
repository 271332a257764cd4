// The coordinator's process in a simulated cluster: the production job machine, and a small version
// of its shell (runtime/coordinator/coordinator.h).
//
//   down -> running            it starts, and replays the journal
//   running or down -> down    it crashes, or the disk is full; later it starts again
//   running -> ended           the run ends, and the user does not resume it
//
// Records are written to the journal before anything that depends on them is sent, and are durable
// by then if they must be. Events of actions that one coordinator began do not reach the next one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "orchestrator/job/job_machine.h"
#include "sim/cluster/launcher.h"
#include "sim/world/alarm_clock.h"
#include "sim/world/checked_journal.h"
#include "sim/world/connections.h"
#include "sim/world/options.h"
#include "sim/world/storage.h"
#include "sim/world/trace.h"
#include "sim/world/user.h"

namespace surety::sim {

class Coordinator {
 public:
  // The references must outlive this object.
  Coordinator(const SimOptions& options, EventQueue& queue, Trace& trace, Watch& watch,
              CheckedJournal& journal, Checkpoints& checkpoints, Connections& connections,
              ProcessTable& processes);

  // Begins the run, and starts the first coordinator. REQUIRES: it is called once.
  void begin_run();
  // Ends the process. The share `torn_share` of the journal's bytes that were not synced remains.
  void crash(double torn_share, const std::string& why, Remaining workers);
  void jump_clock(double seconds) { clock_.jump(seconds); }

  // ---- events, which are ignored while it is down ----
  void on_called(std::uint64_t connection, std::uint32_t process, const proto::Hello& hello);
  void on_message(WorkerId worker, const proto::FromWorker& message);
  void on_lost(WorkerId worker, const std::string& why);
  // `term` is the term of the coordinator that ran when the process ended.
  void on_process_ended(std::uint32_t process, const std::string& how, std::uint32_t term);

  [[nodiscard]] bool runs() const { return machine_.has_value(); }
  // Number of the coordinator that runs, or ran last.
  [[nodiscard]] std::uint32_t term() const { return term_; }
  // The result of the run; absent until the run has ended.
  [[nodiscard]] const std::optional<orchestrator::Finish>& finished() const { return finished_; }
  // The state of the run. While the coordinator is down, it is the state of its last start.
  [[nodiscard]] const orchestrator::RunState& state() const {
    return machine_ ? machine_->state() : state_;
  }
  [[nodiscard]] std::uint32_t restarts() const { return restarts_; }

 private:
  void start();
  [[nodiscard]] bool resume(std::size_t records);
  void feed(const orchestrator::Event& event);
  void on_alarm();
  [[nodiscard]] Result<void> carry_out(const orchestrator::Effect& effect);
  void note(const proto::JournalRecord& record);
  void send(WorkerId to, proto::ToWorker message);
  void finish(const orchestrator::Finish& finish);

  const SimOptions& options_;
  EventQueue& queue_;
  Trace& trace_;
  Watch& watch_;
  CheckedJournal& journal_;
  Checkpoints& checkpoints_;
  Connections& connections_;
  AlarmClock clock_;
  Launcher launcher_;
  User user_;
  std::optional<orchestrator::JobMachine> machine_;
  orchestrator::RunState state_;  // Replayed from the journal at the last start.
  std::uint32_t term_ = 0;
  std::optional<orchestrator::Finish> finished_;
  std::uint32_t restarts_ = 0;
};

}  // namespace surety::sim
