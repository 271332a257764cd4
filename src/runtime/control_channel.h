// The two ends of the control stream between the coordinator and a worker: commands one way,
// answers and heartbeats the other. What carries it is gRPC between processes (control_server.h,
// control_client.h), or queues within one (local_control.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "base/result.h"
#include "proto/surety.pb.h"
#include "runtime/inbox.h"

namespace surety::runtime {

struct ConnectionOpened {
  std::uint64_t connection = 0;
  proto::Hello hello;
};
struct ConnectionMessage {
  std::uint64_t connection = 0;
  proto::FromWorker message;
};
struct ConnectionClosed {
  std::uint64_t connection = 0;
  std::string reason;
};
using ConnectionEvent = std::variant<ConnectionOpened, ConnectionMessage, ConnectionClosed>;

// The coordinator's end of every stream; what workers say goes to an inbox of ConnectionEvents.
class ControlServer {
 public:
  virtual ~ControlServer() = default;

  // Where workers can join: "127.0.0.1:41234"; empty where nobody can.
  [[nodiscard]] virtual const std::string& address() const = 0;
  // Queues; never waits. Unknown connections are ignored.
  virtual void send(std::uint64_t connection, proto::ToWorker message) = 0;
  // Ends the stream once what was queued is sent.
  virtual void close(std::uint64_t connection) = 0;
};

// A worker's end of its stream.
class ControlClient {
 public:
  virtual ~ControlClient() = default;

  virtual Inbox<proto::ToWorker>& inbox() = 0;
  virtual void send(proto::FromWorker message) = 0;  // Also from other threads.
  // The coordinator ended the stream, or is gone (Unavailable), or does not want this worker
  // (InvalidInput); why.
  [[nodiscard]] virtual std::optional<Error> ended() const = 0;
  // Ends it from this end, soon, whatever the other end does; also from other threads.
  virtual void hang_up() {}
};

}  // namespace surety::runtime
