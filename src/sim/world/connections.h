// The connections between worker processes and the coordinator, and the messages in flight on them.
// In a real run, runtime/control/control_server.cc does this work. Both use the same record of the
// worker at the other end of each connection (orchestrator/workforce/worker_connections.h).
//
//   called -> open -> admitted as a worker;  any -> closed, by either end
//
// Each call is a new connection, and a number is not used again. The coordinator receives messages
// of a connection only while its end is open, and only after it has admitted the worker. Its
// connections end with it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/ids.h"
#include "base/random.h"
#include "orchestrator/workforce/worker_connections.h"
#include "proto/surety.pb.h"
#include "sim/network/network.h"
#include "sim/world/trace.h"

namespace surety::sim {

class Connections {
 public:
  // The processes at the other ends, by number.
  struct Processes {
    std::function<HostIndex(std::uint32_t process)> host;
    std::function<bool(std::uint32_t process)> runs;
    // The coordinator has admitted the process as this worker. The process does not know this yet.
    std::function<void(std::uint32_t process, WorkerId)> admitted;
    std::function<void(std::uint32_t process, std::uint64_t connection, const proto::ToWorker&)>
        receive;
    // The stream has ended.
    std::function<void(std::uint32_t process, std::uint64_t connection)> end;
  };
  // The events of the coordinator.
  struct Coordinator {
    std::function<void(std::uint64_t connection, std::uint32_t process, const proto::Hello&)>
        called;
    std::function<void(WorkerId, const proto::FromWorker&)> received;
    std::function<void(WorkerId, const std::string& why)> lost;
  };
  // The references must outlive this object.
  Connections(EventQueue& queue, Network& network, Trace& trace, Random& random,
              Processes processes, Coordinator coordinator);

  // ---- the coordinator ----
  // A coordinator begins, and answers calls until it ends.
  void begin();
  void end();
  // REQUIRES: called() was called with this connection, and it is open.
  void admit(std::uint64_t connection, WorkerId worker);
  // Does nothing if the worker has no connection.
  void send(WorkerId to, proto::ToWorker message);
  // Does nothing if the worker has no connection.
  void close(WorkerId worker);
  // The record of the workers at the other ends. The coordinator enters each worker that has
  // called.
  [[nodiscard]] orchestrator::WorkerConnections& workers() { return workers_; }

  // ---- the processes ----
  // Connects the process to the coordinator, which receives `hello` first. This takes no time.
  // Returns nothing if the call is not answered, because no coordinator runs or a direction between
  // the two is cut.
  [[nodiscard]] std::optional<std::uint64_t> connect(std::uint32_t process,
                                                     const proto::Hello& hello);
  void receive(std::uint64_t connection, const proto::FromWorker& message);
  // The process has closed the connection, or has found that it receives nothing over it.
  void hang_up(std::uint64_t connection);
  // The end of the connection at its worker was closed, and the coordinator notices it now.
  void on_closed(std::uint64_t connection, const std::string& why);
  // The connection breaks. The process notices it at once, and the coordinator a little later.
  void break_off(std::uint32_t process, std::uint64_t connection);

 private:
  void close_connection(std::uint64_t connection);
  void receive_again(WorkerId worker, const proto::FromWorker& message);

  EventQueue& queue_;
  Network& network_;
  Trace& trace_;
  Random& random_;
  Processes processes_;
  Coordinator coordinator_;
  bool is_answered_ = false;        // A coordinator runs.
  std::uint32_t coordinators_ = 0;  // Number of coordinators that have begun.
  // The coordinator's ends, with the process at the other one. connect() adds; on_closed() and
  // close() remove.
  std::map<std::uint64_t, std::uint32_t> open_;
  std::uint64_t last_connection_ = 0;
  // The workers of the coordinator that runs. Each of them has an open connection.
  orchestrator::WorkerConnections workers_;
};

}  // namespace surety::sim
