// Converts "IP:PORT" and "unix:PATH" to socket addresses. IP addresses are numbers, so that no name
// server is used.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace surety::posix {

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t length = 0;

  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

// Example inputs: "127.0.0.1:4711", "[::1]:0". InvalidInput: the error quotes the text.
[[nodiscard]] Result<SocketAddress> parse_socket_address(const std::string& text);

// The beginning of the address of a Unix socket, such as "unix:/tmp/surety-1a2b3c/worker".
inline constexpr std::string_view kUnixPrefix = "unix:";
// InvalidInput: the error quotes the text. A path may be 107 bytes long.
[[nodiscard]] Result<SocketAddress> parse_unix_address(const std::string& text);

// REQUIRES: an IPv4 or IPv6 address.
// An IPv6 address is in brackets.
[[nodiscard]] std::string host_of(const sockaddr_storage& address);
[[nodiscard]] std::uint16_t port_of(const sockaddr_storage& address);

// The network interface that has this IP; empty if there is none: a wildcard or a foreign address.
[[nodiscard]] std::string interface_with(const sockaddr_storage& address);

}  // namespace surety::posix
