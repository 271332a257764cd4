// The coordinator's side of the control streams over gRPC.
//
// Every connection has a thread that reads and one that writes, so that a worker that has stopped
// reading never holds up the coordinator. A worker is refused before it is an event where it has
// the wrong token, is of a node type that the job has not, or cannot be reached from here.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "runtime/control_channel.h"

namespace surety::runtime {

// Can we listen there? InvalidInput, saying what to do, where the port is in use or not ours.
[[nodiscard]] Result<void> check_listen(const std::string& address);

struct ControlServerOptions {
  std::string listen = "127.0.0.1:0";
  std::string token;                    // What a worker must say.
  proto::JobDescription job;            // What Describe answers.
  std::vector<std::string> node_types;  // That a worker may be of; one that names none is welcome.
};

// InvalidInput where the port is in use, naming it. Events go to `inbox`, which must outlive the
// server. close() gives what is queued a second.
[[nodiscard]] Result<std::unique_ptr<ControlServer>> serve_control(
    const ControlServerOptions& options, Inbox<ConnectionEvent>& inbox);

}  // namespace surety::runtime
