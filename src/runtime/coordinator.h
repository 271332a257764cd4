// The coordinator process: carries out what the job machine decides.
//
// One thread decides; the threads of the control streams only put events into an inbox. The journal
// is durable before what depends on it is sent. No model bytes pass through here.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "learn/task.h"
#include "orchestrator/job_machine.h"
#include "runtime/journal_file.h"
#include "runtime/leader_seat.h"
#include "runtime/slurm.h"

namespace surety::runtime {

struct CoordinatorOptions {
  std::filesystem::path folder;  // Of the run.
  // The only worker that there will be is a thread of this process, and this makes its tasks;
  // nobody can join. Without it, workers are processes, and others can join.
  std::optional<learn::TaskFactory> inside{};
  std::filesystem::path worker_program;  // For local workers.
  bool worker_is_surety = false;
  std::string token;   // Empty: a random one is made.
  std::string listen;  // Where the run's last coordinator did, so that its workers find this one;
                       // empty: where the job says.
  // The run is led only while this leads, and may be taken over by another coordinator after that;
  // null: there is no other.
  const LeaderSeat* seat = nullptr;
  std::string data_root;
  std::optional<SlurmJob> slurm{};  // Workers run there. REQUIRES: worker_is_surety.
  orchestrator::JobConfig config;
  orchestrator::RunState state;  // Initial, or the fold of the journal.
  double started_unix_s = 0;     // When the run began: time zero of every record.
  // Called a few times a second, after every event, and before every line.
  std::function<void(const orchestrator::JobMachine&, double now_s)> on_progress;
  // A decision and its reason, or a worker's end.
  std::function<void(double now_s, const std::string& line, bool detail)> on_line;
  // Once, when workers can join; never where nobody can: "127.0.0.1:41234".
  std::function<void(const std::string& address, const std::string& token)> on_listening;
};

struct CoordinatorResult {
  orchestrator::Finish finish;
  orchestrator::RunState state;
  // The seat leads no more: nothing was decided or written since, workers wait for whoever leads
  // next, and `finish` says nothing.
  bool deposed = false;
};

// Runs the job to its end. Unavailable where the port is in use, or the journal cannot be written
// (the run can be resumed then).
// REQUIRES: posix::count_stop_signals() was called.
[[nodiscard]] Result<CoordinatorResult> run_coordinator(CoordinatorOptions options,
                                                        JournalFile& journal);

// 128 random bits, in hexadecimal.
[[nodiscard]] Result<std::string> make_token();

}  // namespace surety::runtime
