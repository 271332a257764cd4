// Who is at the other end of each control stream of a coordinator: the worker that was admitted
// over it, and the launch of the process that has called, if the coordinator's launcher started it.
//
// A worker has at most one connection, and a connection at most one worker. A process may call
// several times, each time over another connection. Each call makes it a new worker. Calls to an
// earlier coordinator do not count, so each coordinator has its own object.
//
// Texts of workers are shortened and lose their control characters here, because they appear in
// logs and on terminals.
//
// Pure: no clock, no I/O. The job machine decides who is admitted (workforce.h).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/ids.h"
#include "orchestrator/ledger/job_events.h"
#include "proto/surety.pb.h"

namespace surety::orchestrator {

// The event for the job machine: the worker has sent this message.
[[nodiscard]] WorkerMessage message_of(WorkerId worker, proto::FromWorker message);

class WorkerConnections {
 public:
  // A worker has called. `launch`: the number that the worker states, if the coordinator's launcher
  // started or adopted a process with this number. `invitation`: the name of an invited worker. No
  // launcher started such a worker, whatever it states. Returns the event for the job machine.
  [[nodiscard]] WorkerHello on_opened(std::uint64_t connection, proto::Hello hello,
                                      std::optional<std::uint32_t> launch,
                                      std::optional<std::string> invitation = {});
  // The other end has closed the connection. Nothing is known of it any more, and its worker, which
  // is returned, has none.
  std::optional<WorkerId> on_closed(std::uint64_t connection);

  // REQUIRES: the connection has no worker, and the worker no connection.
  void admit(std::uint64_t connection, WorkerId worker);
  // The worker has no connection any more. Returns the one that it had.
  std::optional<std::uint64_t> remove(WorkerId worker);

  [[nodiscard]] std::optional<WorkerId> worker_of(std::uint64_t connection) const;
  [[nodiscard]] std::optional<std::uint64_t> of(WorkerId worker) const;
  // The launch whose node is on notice, because its worker says in this message that it leaves.
  [[nodiscard]] std::optional<std::uint32_t> on_notice(std::uint64_t connection,
                                                       const proto::FromWorker& message) const;
  // The last worker id of this launch, also after its connection was closed.
  [[nodiscard]] std::optional<WorkerId> last_of(std::uint32_t launch) const;
  // The launches that have called, also those that have ended.
  [[nodiscard]] const std::set<std::uint32_t>& joined() const { return joined_; }

 private:
  // Returns nullopt for a worker that the launcher has not started.
  [[nodiscard]] std::optional<std::uint32_t> launch_of(std::uint64_t connection) const;

  std::map<std::uint64_t, WorkerId> worker_of_;
  std::map<WorkerId, std::uint64_t> connection_of_;
  std::map<std::uint64_t, std::uint32_t> launch_of_;
  std::map<std::uint32_t, WorkerId> last_of_;  // The key is the launch; nothing is removed.
  std::set<std::uint32_t> joined_;             // Nothing is removed.
};

}  // namespace surety::orchestrator
