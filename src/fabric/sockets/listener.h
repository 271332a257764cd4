// The address at which a socket transport can be reached, and its connections to others.
//
// There are two kinds of addresses. "unix:PATH" is a socket in a folder that only its owner may
// enter; both sides check that the other process belongs to the same user. "IP:PORT" is TCP, which
// is used under TLS only.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "base/posix/fd.h"
#include "base/posix/net/socket_address.h"
#include "base/posix/net/socket_place.h"
#include "base/result.h"

namespace surety::fabric {

[[nodiscard]] bool is_on_this_machine(const std::string& address);

class Listener {
 public:
  // A Unix socket in the folder of the socket `beside`, or in a new one if there is none. It is
  // removed with the listener. The errors are those of posix::SocketPlace, and Unavailable if it
  // cannot listen there.
  [[nodiscard]] static Result<Listener> on_this_machine(const std::optional<std::string>& beside);
  // `listen`: IP:PORT; port 0 chooses a free port. `advertise`: the IP under which others reach
  // this machine. If absent, it is the IP of `listen`, which must then not be a wildcard.
  // InvalidInput: an address is malformed, not one of this machine, in use, or forbidden for this
  // user. Unavailable: the system has no socket for it.
  [[nodiscard]] static Result<Listener> on_network(const std::string& listen,
                                                   const std::optional<std::string>& advertise);
  Listener(Listener&&) noexcept = default;
  Listener& operator=(Listener&&) = delete;

  [[nodiscard]] const std::string& address() const { return address_; }
  [[nodiscard]] int fd() const { return fd_.get(); }
  [[nodiscard]] bool is_on_network() const { return own_.has_value(); }
  // The network interface that has this listener's address; empty for all interfaces or loopback.
  [[nodiscard]] std::string interface() const;

  // The next connection; absent if there is none. It is not open if it was refused: the caller
  // belongs to another user, or this process may not open more files.
  [[nodiscard]] std::optional<posix::Fd> accept();
  // Begins a connection to an address of either kind. InvalidInput: the address is not valid.
  // Unavailable: the call fails at once, or the other process belongs to another user.
  [[nodiscard]] Result<posix::Fd> call(const std::string& address) const;

 private:
  Listener(posix::Fd fd, std::string address);

  posix::Fd fd_;
  posix::Fd spare_;  // It is closed in order to refuse a caller when no more files may be opened.
  std::string address_;
  std::optional<posix::SocketPlace> place_{};  // The place of a Unix socket.
  std::optional<posix::SocketAddress> own_{};  // The address of TCP, if it listens on one.
};

}  // namespace surety::fabric
