// The coordinator's side of the control streams: gRPC in, events out.
//
// Every connection has a thread that reads and one that writes, so that a worker that has stopped
// reading never holds up the coordinator. Who has the wrong token, or is
// of a node type that the job has not, is refused before it is an event.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

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

// Can we listen there? InvalidInput, saying what to do, where the port is in use or not ours.
[[nodiscard]] Result<void> check_listen(const std::string& address);

struct ControlServerOptions {
  std::string listen = "127.0.0.1:0";
  std::string token;                    // What a worker must say.
  proto::JobDescription job;            // What Describe answers.
  std::vector<std::string> node_types;  // That a worker may be of; one that names none is welcome.
};

class ControlServer {
 public:
  // InvalidInput where the port is in use, naming it. Events go to `inbox`, which must outlive
  // this.
  [[nodiscard]] static Result<std::unique_ptr<ControlServer>> start(
      const ControlServerOptions& options, Inbox<ConnectionEvent>& inbox);
  ~ControlServer();

  [[nodiscard]] const std::string& address() const;  // "127.0.0.1:41234"
  // Queues; never waits. Unknown connections are ignored.
  void send(std::uint64_t connection, proto::ToWorker message);
  // Ends the stream once what was queued is sent, or after a second.
  void close(std::uint64_t connection);

 private:
  struct Impl;
  explicit ControlServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace surety::runtime
