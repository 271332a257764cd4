// The coordinator's side of the control streams over gRPC: at a Unix socket that only this user's
// processes reach, or at a port under TLS, where both sides prove that they belong to the run.
//
// Every connection has a thread that reads and one that writes, so that a worker that has stopped
// reading never delays the coordinator. The server refuses a worker, without an event for the
// coordinator, if the worker has the wrong token or no valid invitation, if its program has another
// version, if the job does not have its node type, if it cannot be reached from here, or if it
// sends no Hello within ten seconds.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "protocol/greeting.h"
#include "runtime/control/control_channel.h"
#include "runtime/control/credentials.h"

namespace surety::runtime {

// Checks that this process can listen at HOST:PORT. InvalidInput, with advice, if the port is in
// use or if this process may not use it.
[[nodiscard]] Result<void> check_listen(const std::string& address);

struct ControlServerOptions {
  std::string token{};  // The token that a worker must send, unless it was invited.
  // Whether the invitation with this certificate is valid. If absent, none is. Many threads call
  // it.
  std::function<bool(const InvitedCaller& caller)> admits{};
  protocol::GreetingRules rules{};
  proto::JobDescription job{};  // The answer to Describe.
  // The maximum time to prove the token, and then again the maximum time until Hello.
  Duration greeting_takes = std::chrono::seconds(10);
  // The maximum time to receive what was sent before its connection is closed.
  Duration close_takes = std::chrono::seconds(1);
};

// A server that workers can join.
class ListeningServer : public ControlServer {
 public:
  // The address where they join: "10.0.0.1:41234" or "unix:/tmp/surety-1a2b3c/control".
  [[nodiscard]] virtual const std::string& address() const = 0;
};

// Listens at HOST:PORT, or at unix:PATH of an earlier server, whose place this one takes. If
// `listen` is absent, at a Unix socket in a new folder.
//
// InvalidInput names the port if it is in use. Errors of Unix sockets are those of
// posix::SocketPlace. Events go to `inbox`, which must outlive the server.
// close() ends the connection when the queued messages were sent, and after `close_takes` in any
// case.
[[nodiscard]] Result<std::unique_ptr<ListeningServer>> serve_control(
    const std::optional<std::string>& listen, const ControlServerOptions& options,
    Inbox<ConnectionEvent>& inbox);

}  // namespace surety::runtime
