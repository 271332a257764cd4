// Records the other end of each control stream of the coordinator: the worker that was admitted
// over it, and the launch that started the worker's process.
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
  // The other end has closed the connection, so its record is removed. Returns its worker, which
  // has no connection any more.
  std::optional<WorkerId> on_closed(std::uint64_t connection);

  // REQUIRES: the worker has no connection, and the connection has no worker.
  void admit(std::uint64_t connection, WorkerId worker);
  // Removes the connection of the worker, and returns it.
  std::optional<std::uint64_t> remove(WorkerId worker);

  [[nodiscard]] std::optional<WorkerId> worker_of(std::uint64_t connection) const;
  [[nodiscard]] std::optional<std::uint64_t> of(WorkerId worker) const;
  // The last worker id of the process of this launch, even after its connection was closed.
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
