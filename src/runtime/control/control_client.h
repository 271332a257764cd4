// A worker's side of the control stream over gRPC (control_server.h).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "runtime/control/control_channel.h"
#include "runtime/control/credentials.h"

namespace surety::runtime {

struct ControlClientOptions {
  std::string address;  // Address of the coordinator: HOST:PORT or unix:PATH.
  proto::Hello hello;
  // Used between machines. If absent, those that follow from the token of `hello`.
  std::optional<WorkerKeys> keys{};
  // Called by another thread after a command was put into the inbox, and when the stream has ended.
  std::function<void()> wake;
};

// Connects and sends Hello. Unavailable if the coordinator does not answer within `patience`, if
// the program that answers does not belong to the run, or if the system has no thread left.
[[nodiscard]] Result<std::unique_ptr<ControlClient>> connect_control(ControlClientOptions options,
                                                                     Duration patience);

// Requests a description of the program that this job needs. Unavailable, or InvalidInput for a
// wrong token, invitation or node type. `keys`: as in ControlClientOptions.
[[nodiscard]] Result<proto::JobDescription> describe_job(
    const std::string& address, const proto::DescribeRequest& worker, Duration patience,
    const std::optional<WorkerKeys>& keys = {});

}  // namespace surety::runtime
