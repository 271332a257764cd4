// A worker's side of the control stream: commands in, answers and heartbeats out.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "proto/surety.pb.h"
#include "runtime/inbox.h"

namespace surety::runtime {

struct ControlClientOptions {
  std::string address;  // Of the coordinator.
  proto::Hello hello;
  // Another thread's call, after a command was put into the inbox, or when the stream has ended.
  std::function<void()> wake;
};

class ControlClient {
 public:
  // Connects and says hello. Unavailable where nobody answers within `patience`.
  [[nodiscard]] static Result<std::unique_ptr<ControlClient>> connect(ControlClientOptions options,
                                                                      Duration patience);
  ~ControlClient();

  Inbox<proto::ToWorker>& inbox();
  void send(const proto::FromWorker& message);  // Also from other threads.
  // The coordinator ended the stream, or is gone; why.
  [[nodiscard]] std::optional<std::string> ended() const;

 private:
  struct Impl;
  explicit ControlClient(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// What kind of program this job wants. Unavailable, or InvalidInput for a wrong token or node type.
[[nodiscard]] Result<proto::JobDescription> describe_job(const std::string& address,
                                                         const proto::DescribeRequest& worker,
                                                         Duration patience);

}  // namespace surety::runtime
