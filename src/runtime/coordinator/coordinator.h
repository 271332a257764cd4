// The coordinator process: carries out the decisions of the job machine.
//
// One thread decides; the threads of the control streams only put events into an inbox. The journal
// is durable before anything that depends on it is sent. No model bytes pass through here.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "learn/task.h"
#include "orchestrator/job/job_machine.h"
#include "runtime/coordinator/lease_holder.h"
#include "runtime/journal_file.h"
#include "runtime/slurm/slurm.h"

namespace surety::runtime {

struct CoordinatorOptions {
  std::filesystem::path folder;  // Folder of the run.
  // If set, the only worker is a thread of this process, this factory makes its tasks, and no
  // worker can join. Otherwise workers are processes, and others can join.
  std::optional<learn::TaskFactory> in_process_factory{};
  std::filesystem::path worker_program;  // Program of local workers.
  bool worker_is_surety = false;       // Whether that program is `surety`, with the word "worker".
  std::optional<std::string> token{};  // None means that a random one is made.
  // HOST:PORT to listen at instead of the job's cluster.listen.
  std::optional<std::string> listen{};
  // Address of the run's last coordinator, so that its workers find this one; none means that only
  // the job's address counts.
  std::optional<std::string> last_address{};
  // The run may be led only while the lease holder leads; after that another coordinator may take
  // over. Null means that there is no other coordinator.
  const LeaseHolder* lease_holder = nullptr;
  // Program that measures the certified model again (runtime/measuring_process.h).
  std::filesystem::path measuring_program;
  std::optional<SlurmJob> slurm{};  // Workers run in this allocation. REQUIRES: worker_is_surety.
  orchestrator::JobConfig config;
  orchestrator::RunState state;  // The initial state, or the state replayed from the journal.
  double started_unix_s = 0;     // When the run began: time zero of every record.
  // Called a few times per second, after every event, and before every line.
  std::function<void(const orchestrator::JobMachine&, double now_s)> on_progress;
  // Receives a decision with its reason, or a worker's end.
  std::function<void(double now_s, const std::string& line, bool detail)> on_line;
  // Called once, when workers can join, with an address such as "10.0.0.1:41234" or
  // "unix:/tmp/surety-1a2b3c/control"; never called if no worker can join.
  std::function<void(const std::string& address, const std::string& token)> on_listening;
};

struct CoordinatorResult {
  orchestrator::Finish finish;
  orchestrator::RunState state;
  // The lease holder no longer leads. Since then nothing was decided or written. Workers wait for
  // the next leader, and `finish` has no meaning.
  bool lost_leadership = false;
};

// Runs the job to its end. InvalidInput if the port is in use. Unavailable if the journal cannot be
// written (then the run can be resumed).
// REQUIRES: posix::count_stop_signals() was called.
[[nodiscard]] Result<CoordinatorResult> run_coordinator(CoordinatorOptions options,
                                                        JournalFile& journal);

// 128 random bits, in hexadecimal. Unavailable if the operating system provides no random numbers.
[[nodiscard]] Result<std::string> make_token();

}  // namespace surety::runtime
