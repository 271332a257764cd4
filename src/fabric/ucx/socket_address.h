// "IP:PORT" as sockets want it, and back. Numbers only: nothing here asks a name server.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <string>

#include "base/result.h"

namespace surety::fabric {

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t length = 0;

  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

// "127.0.0.1:4711", "[::1]:0". InvalidInput: says what was found.
[[nodiscard]] Result<SocketAddress> parse_socket_address(const std::string& text);
// REQUIRES: an IPv4 or IPv6 address.
[[nodiscard]] std::string host_of(const sockaddr_storage& address);  // An IPv6 host in brackets.
[[nodiscard]] std::uint16_t port_of(const sockaddr_storage& address);

// The network interface that has this IP; empty where none has: a wildcard, or not ours.
[[nodiscard]] std::string interface_with(const sockaddr_storage& address);

}  // namespace surety::fabric
