// A worker's side of the control stream over gRPC.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "runtime/control_channel.h"

namespace surety::runtime {

struct ControlClientOptions {
  std::string address;  // Of the coordinator.
  proto::Hello hello;
  // Another thread's call, after a command was put into the inbox, or when the stream has ended.
  std::function<void()> wake;
};

// Connects and says hello. Unavailable where nobody answers within `patience`.
[[nodiscard]] Result<std::unique_ptr<ControlClient>> connect_control(ControlClientOptions options,
                                                                     Duration patience);

// What kind of program this job wants. Unavailable, or InvalidInput for a wrong token or node type.
[[nodiscard]] Result<proto::JobDescription> describe_job(const std::string& address,
                                                         const proto::DescribeRequest& worker,
                                                         Duration patience);

}  // namespace surety::runtime
