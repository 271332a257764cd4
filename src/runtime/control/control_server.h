// The coordinator's side of the control streams over gRPC.
//
// Every connection has a thread that reads and one that writes, so that a worker that has stopped
// reading never delays the coordinator. A worker is refused before it becomes an event if it has
// the wrong token, if its program has another version, if the job does not have its node type, or
// if it cannot be reached from here.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "runtime/control/control_channel.h"

namespace surety::runtime {

// Checks that we can listen there. InvalidInput, with what to do, if the port is in use or not
// ours.
[[nodiscard]] Result<void> check_listen(const std::string& address);

struct ControlServerOptions {
  std::string listen = "127.0.0.1:0";
  std::string token{};  // The token that a worker must send.
  // The version that a worker's program must have; any if there is none.
  std::optional<std::string> version{};
  proto::JobDescription job{};  // The answer to Describe.
  // Node types of the job. A worker that names none is accepted.
  std::vector<std::string> node_types{};
};

// InvalidInput names the port if it is in use. Events go to `inbox`, which must outlive the server.
// close() ends the connection when the queued messages were sent, and after one second in any case.
[[nodiscard]] Result<std::unique_ptr<ControlServer>> serve_control(
    const ControlServerOptions& options, Inbox<ConnectionEvent>& inbox);

}  // namespace surety::runtime
