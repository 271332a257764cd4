// The coordinator process: carries out the decisions of the job machine.
//
// One thread decides; the threads of the control streams only put events into an inbox. The journal
// is durable before anything that depends on it is sent. No model bytes pass through here.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <variant>

#include "base/result.h"
#include "learn/task.h"
#include "orchestrator/job/job_machine.h"
#include "runtime/coordinator/lease_holder.h"
#include "runtime/files/journal_file.h"
#include "runtime/slurm/slurm.h"

namespace surety::runtime {

// The only worker is a thread of this process, and no other worker can join.
struct WorkerInside {
  learn::TaskFactory factory;  // Makes the tasks of the worker.
};

// Workers are processes. This process starts those of its own machine or of its Slurm allocation,
// and others can join.
struct WorkerProcesses {
  std::filesystem::path program{};     // Program of local workers.
  bool is_surety = false;              // Whether that program is `surety`, with the word "worker".
  std::optional<SlurmJob> slurm{};     // Workers run in this allocation. REQUIRES: is_surety.
  std::optional<std::string> token{};  // None means that a random one is made.
  // HOST:PORT to listen at instead of the job's cluster.listen.
  std::optional<std::string> listen{};
  // Address of the run's last coordinator, so that its workers find this one; none means that only
  // the job's address counts.
  std::optional<std::string> last_address{};
  // Called once, when workers can join, with an address such as "10.0.0.1:41234" or
  // "unix:/tmp/surety-1a2b3c/control".
  std::function<void(const std::string& address, const std::string& token)> on_listening{};
};

struct CoordinatorOptions {
  std::filesystem::path folder;  // Folder of the run.
  std::variant<WorkerInside, WorkerProcesses> workers;
  // The run may be led only while the lease holder leads; after that another coordinator may take
  // over. Null means that there is no other coordinator.
  const LeaseHolder* lease_holder = nullptr;
  // Program that measures the certified model again (runtime/coordinator/measuring_process.h).
  std::filesystem::path measuring_program;
  orchestrator::JobConfig config;
  orchestrator::RunState state;  // The initial state, or the state replayed from the journal.
  double started_unix_s = 0;     // When the run began: time zero of every record.
  // Called a few times per second, after every event, and before every line.
  std::function<void(const orchestrator::JobMachine&, double now_s)> on_progress;
  // Receives a decision with its reason, or a worker's end.
  std::function<void(double now_s, const std::string& line, bool detail)> on_line;
};

struct CoordinatorResult {
  // Absent if the lease holder has lost the leadership. Since then nothing was decided or written,
  // and workers wait for the next leader.
  std::optional<orchestrator::Finish> finish;
  orchestrator::RunState state;
};

// Runs the job to its end. InvalidInput if the port is in use. Unavailable if the journal cannot be
// written (then the run can be resumed).
// REQUIRES: posix::count_stop_signals() was called.
[[nodiscard]] Result<CoordinatorResult> run_coordinator(CoordinatorOptions options,
                                                        JournalFile& journal);

// 128 random bits, in hexadecimal. Unavailable if the operating system provides no random numbers.
[[nodiscard]] Result<std::string> make_token();

}  // namespace surety::runtime
