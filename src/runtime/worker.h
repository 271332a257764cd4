// A worker: joins a job, does what it is told, leaves politely. A process of its own, or, alone in
// its job, a thread of the coordinator's.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "learn/task.h"

namespace surety::runtime {

struct WorkerOptions {
  std::string join;                    // HOST:PORT of the coordinator.
  std::string token;                   // Of the job.
  std::string node_type;               // Of the job's; empty: its first.
  std::string listen = "127.0.0.1:0";  // For the other workers' connections; "auto": by
                                       // the way to the coordinator, any port.
  std::string advertise;               // Our IP as they see it; empty: that of `listen`.
  std::string data_root;               // Relative data paths are taken from here.
  // Samples are kept in a file in this folder (base/posix/spill_memory.h); empty: in memory.
  std::string spill;
  std::uint32_t threads = 0;                     // 0: all cores.
  Duration patience = std::chrono::seconds(60);  // For the coordinator to answer.
  Duration notice = std::chrono::seconds(30);    // From the first SIGTERM to leaving unasked.
  bool runs_dnn = false;
  std::uint32_t launch = 0;  // Number that the coordinator's launcher gave us; 0: none did.
};

// Works until the job ends, SIGTERM (leaves politely) or a second signal (leaves at once). Returns
// why it ended. Unavailable where the coordinator cannot be reached or is gone.
// REQUIRES: posix::count_stop_signals() was called.
[[nodiscard]] Result<std::string> run_worker(const WorkerOptions& options,
                                             const learn::TaskFactory& factory);

class LocalControl;

// The same in the coordinator's process and alone in its job, until the job ends: signals are the
// coordinator's affair. `options` needs neither addresses nor a token.
[[nodiscard]] Result<std::string> run_worker_inside(const WorkerOptions& options,
                                                    const learn::TaskFactory& factory,
                                                    LocalControl& control);

}  // namespace surety::runtime
