// The two ends of the control stream between the coordinator and a worker: commands go one way,
// answers and heartbeats the other. Between processes, gRPC carries the stream (control_server.h,
// control_client.h). Within a process, queues carry it (local_control.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "base/result.h"
#include "proto/surety.pb.h"
#include "runtime/control/inbox.h"

namespace surety::runtime {

// Bytes of a message of the stream that each end accepts. A command names chunks and peers: at
// 100,000 chunks a list of grants is about 4 MB.
inline constexpr int kControlMessageBytesMax = 64 << 20;

struct ConnectionOpened {
  std::uint64_t connection = 0;
  proto::Hello hello;
  // The name of an invited worker; absent if the worker has the token.
  std::optional<std::string> invitation{};
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

// The coordinator's end of all streams. Messages of workers go to an inbox of ConnectionEvents.
class ControlServer {
 public:
  virtual ~ControlServer() = default;

  // Queues the message and never waits. Unknown connections are ignored.
  virtual void send(std::uint64_t connection, proto::ToWorker message) = 0;
  // Ends the stream after the queued messages are sent.
  virtual void close(std::uint64_t connection) = 0;
};

// A worker's end of its stream.
class ControlClient {
 public:
  virtual ~ControlClient() = default;

  virtual Inbox<proto::ToWorker>& inbox() = 0;
  virtual void send(proto::FromWorker message) = 0;  // May also be called from other threads.
  // Why the stream ended: the coordinator closed it or is lost (Unavailable), or it refuses this
  // worker (InvalidInput). Nothing while the stream is open.
  [[nodiscard]] virtual std::optional<Error> ended() const = 0;
  // Ends the stream soon, without waiting for the other end. May also be called from other threads.
  virtual void hang_up() {}
};

}  // namespace surety::runtime
