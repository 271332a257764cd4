// A worker: joins a job, does what it is told, leaves politely. A process of its own, or, alone in
// its job, a thread of the coordinator's.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "learn/task.h"

namespace surety::runtime {

struct WorkerOptions {
  std::string join;             // HOST:PORT of the coordinator.
  std::string token;            // Of the job.
  std::string node_type;        // Of the job's; empty: its first.
  std::string listen = "auto";  // For the other workers' connections, IP:PORT; "auto": the
                                // IP by which the coordinator is reached, any port.
  std::string advertise;        // Our IP as they see it; empty: that of `listen`.
  std::string data_root;        // Relative data paths are taken from here.
  // Samples are kept in a file in this folder (base/posix/spill_memory.h); empty: in memory.
  std::string spill;
  std::uint32_t threads = 0;                     // 0: all cores.
  Duration patience = std::chrono::seconds(60);  // For the coordinator to answer.
  Duration notice = std::chrono::seconds(30);    // From the first SIGTERM to leaving unasked.
  // How long a coordinator that is lost is called again; 0: it is the end.
  Duration wait = std::chrono::minutes(3);
  // Of the run, where it is on this machine: once it is gone, whoever
  // resumes the run from where it is now starts new workers.
  std::string run_folder;
  std::function<void(const std::string& line)> on_line;  // For its log; may be empty.
  bool runs_dnn = false;
  std::uint32_t launch = 0;  // Number that the coordinator's launcher gave us; 0: none did.
};

// Works until the job ends, SIGTERM (leaves politely) or a second signal (leaves at once). Returns
// why it ended. Where the coordinator is lost, it keeps what it holds and calls it again; with the
// next one it goes on under another id, without reading again what it has. A coordinator that is
// older than one that it has seen is refused. Unavailable where none answers for as long as it
// waits, InvalidInput where one does not want it.
// REQUIRES: posix::count_stop_signals() was called.
[[nodiscard]] Result<std::string> run_worker(const WorkerOptions& options,
                                             const learn::TaskFactory& factory);

// Both ends know the token; data connections are admitted by a number made of it.
[[nodiscard]] std::uint64_t transport_secret(const std::string& token);

class LocalControl;

// The same in the coordinator's process and alone in its job, until the job ends: signals are the
// coordinator's affair. `options` needs neither addresses nor a token.
[[nodiscard]] Result<std::string> run_worker_inside(const WorkerOptions& options,
                                                    const learn::TaskFactory& factory,
                                                    LocalControl& control);

}  // namespace surety::runtime
