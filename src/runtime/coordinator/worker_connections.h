// Who is at the other end of each control stream of the coordinator: the worker that was admitted
// over it, and the launch of the launcher that started the worker's process.
//
// A worker has at most one connection, and a connection at most one worker.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "base/ids.h"

namespace surety::runtime {

class WorkerConnections {
 public:
  // A worker that was started with this launch number has called.
  void on_opened(std::uint64_t connection, std::uint32_t launch) {
    launch_of_[connection] = launch;
  }
  // The other end has closed the connection. Nothing is known of it any more, and its worker, which
  // is returned, has none.
  std::optional<WorkerId> on_closed(std::uint64_t connection);

  // REQUIRES: neither of the two is bound to another one.
  void admit(std::uint64_t connection, WorkerId worker);
  // The worker has no connection any more. Returns the one that it had.
  std::optional<std::uint64_t> remove(WorkerId worker);

  [[nodiscard]] std::optional<WorkerId> worker_of(std::uint64_t connection) const;
  [[nodiscard]] std::optional<std::uint64_t> of(WorkerId worker) const;
  // The worker that the process of this launch was last, also after its connection was closed.
  [[nodiscard]] std::optional<WorkerId> last_of(std::uint32_t launch) const;
  // Returns nullopt for a worker that the launcher has not started.
  [[nodiscard]] std::optional<std::uint32_t> launch_of(std::uint64_t connection) const;

 private:
  std::map<std::uint64_t, WorkerId> worker_of_;
  std::map<WorkerId, std::uint64_t> connection_of_;
  std::map<std::uint64_t, std::uint32_t> launch_of_;
  std::map<std::uint32_t, WorkerId> last_of_;  // By launch; nothing is removed.
};

}  // namespace surety::runtime
