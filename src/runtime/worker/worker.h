// A worker: it joins a job, carries out commands, and leaves gracefully. It is a process, or, if it
// is alone in its job, a thread of the coordinator's process.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>

#include "base/result.h"
#include "base/time.h"
#include "fabric/sockets/tls_key.h"
#include "learn/task.h"
#include "runtime/control/credentials.h"
#include "runtime/invitation/invitation.h"

namespace surety::runtime {

struct JobToken {
  std::string text;
};
// What admits a worker to its job.
using Admission = std::variant<JobToken, Invitation>;

struct WorkerOptions {
  std::string join;  // Address of the coordinator: HOST:PORT or unix:PATH.
  // Absent only for a worker in the coordinator's process, which needs none.
  std::optional<Admission> admission{};
  std::optional<std::string> node_type;  // A node type of the job; if absent, the first one.
  // IP:PORT for connections of other workers. If absent, the IP by which the coordinator is
  // reached, and any port.
  std::optional<std::string> listen;
  // IP address at which other workers reach this one; if absent, that of `listen`.
  std::optional<std::string> advertise;
  // A folder with the files of the job's data. It replaces the deepest folder that contains them on
  // the coordinator's machine. If absent, this machine has them under the same paths.
  std::optional<std::string> data_root;
  // Samples are kept in a file in this folder (base/posix/spill_memory.h); if absent, in memory.
  std::optional<std::string> spill;
  std::optional<std::uint32_t> threads;  // If absent, as many as there are cores.
  // How long a new worker calls a coordinator before its first Welcome; if absent, it calls once.
  std::optional<Duration> patience = std::chrono::seconds(60);
  // Time from the first SIGTERM after which the worker leaves, even if it was not dismissed.
  Duration notice = std::chrono::seconds(30);
  // How long the worker calls a lost coordinator again; if absent, the loss of the coordinator ends
  // the worker.
  std::optional<Duration> wait = std::chrono::minutes(3);
  // Folder of the run, if it is on this machine. Once it is gone, the worker no longer waits: a
  // coordinator that resumes the run elsewhere starts new workers.
  std::optional<std::string> run_folder;
  // Receives lines for the worker's log; may be empty.
  std::function<void(const std::string& line)> on_line;
  // Number of the launch, if the coordinator's launcher started the worker.
  std::optional<std::uint32_t> launch{};
};

// The certificates of an invited worker; absent if the worker has the token.
[[nodiscard]] std::optional<WorkerKeys> keys_of(const WorkerOptions& options);

// Works until the job ends, until SIGTERM (leaves gracefully) or until a second signal (leaves at
// once). Returns why the worker ended. If the coordinator is lost, the worker keeps its samples and
// calls again. With the next coordinator it continues under another id, without reading its data
// again. It refuses a coordinator that is older than one that it has seen. Unavailable if no
// coordinator answers while it waits, InvalidInput if a coordinator refuses it. Other errors are
// the cause for which a coordinator gave this worker up. REQUIRES: posix::count_stop_signals() was
// called, and `options` has an admission.
[[nodiscard]] Result<std::string> run_worker(const WorkerOptions& options,
                                             const learn::TaskFactory& factory);

// A number that follows from the key of data connections. Both ends of one must know it.
[[nodiscard]] std::uint64_t transport_secret(const fabric::TlsKey& key);
// The same of a run with this token.
[[nodiscard]] std::uint64_t transport_secret(const std::string& token);

class LocalControl;

// Runs a worker that is in the coordinator's process and alone in its job. It works until the job
// ends, because the coordinator handles signals. `options` needs neither addresses nor an
// admission. InvalidInput also if samples cannot be kept in the folder `options.spill`.
[[nodiscard]] Result<std::string> run_worker_inside(const WorkerOptions& options,
                                                    const learn::TaskFactory& factory,
                                                    LocalControl& control);

}  // namespace surety::runtime
