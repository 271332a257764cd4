// A worker's side of the control stream over gRPC (control_server.h).
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "runtime/control/control_channel.h"

namespace surety::runtime {

struct ControlClientOptions {
  std::string address;  // Address of the coordinator: HOST:PORT or unix:PATH.
  proto::Hello hello;
  // Called by another thread after a command was put into the inbox, and when the stream has ended.
  std::function<void()> wake;
};

// Connects and sends Hello. Unavailable if the coordinator does not answer within `patience`, if
// the program that answers does not have the token, or if the system has no thread left.
[[nodiscard]] Result<std::unique_ptr<ControlClient>> connect_control(ControlClientOptions options,
                                                                     Duration patience);

// Requests a description of the program that this job needs. Unavailable, or InvalidInput for a
// wrong token or node type.
[[nodiscard]] Result<proto::JobDescription> describe_job(const std::string& address,
                                                         const proto::DescribeRequest& worker,
                                                         Duration patience);

}  // namespace surety::runtime
