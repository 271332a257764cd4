#include "base/posix/net/route.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include "base/posix/net/socket_address.h"

namespace surety::posix {
namespace {

using Addresses = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

Result<Addresses> resolve(std::string host, const std::string& port, int type) {
  if (host.size() > 2 && host.front() == '[') host = host.substr(1, host.size() - 2);
  addrinfo hints{};
  hints.ai_socktype = type;
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(host.c_str(), port.c_str(), &hints, &found);
  if (error == 0) return Addresses(found, ::freeaddrinfo);
  return fail(ErrorCode::kUnavailable, "host {}: {}", host, ::gai_strerror(error));
}

// An IP address as text, IPv6 in brackets; empty if it cannot be written.
std::string text_of(const sockaddr* address, socklen_t length) {
  std::array<char, NI_MAXHOST> text{};
  if (::getnameinfo(address, length, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) != 0) {
    return "";
  }
  return address->sa_family == AF_INET6 ? fmt::format("[{}]", text.data()) : text.data();
}

// Returns 0, or the errno if there is no connection in time.
int connect_within(int socket, const addrinfo& to, Duration patience) {
  if (::connect(socket, to.ai_addr, to.ai_addrlen) == 0) return 0;
  if (errno != EINPROGRESS) return errno;
  pollfd ready{.fd = socket, .events = POLLOUT, .revents = 0};
  const auto milliseconds = std::chrono::ceil<std::chrono::milliseconds>(patience).count();
  const int count = ::poll(&ready, 1, static_cast<int>(milliseconds));
  if (count < 0) return errno;
  if (count == 0) return ETIMEDOUT;
  int error = 0;
  socklen_t length = sizeof error;
  return ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &length) == 0 ? error : errno;
}

}  // namespace

Result<std::string> local_address_towards(const std::string& host) {
  // The port does not matter, because nothing is sent.
  SURETY_TRY(const Addresses addresses, resolve(host, "9", SOCK_DGRAM));
  for (const addrinfo* at = addresses.get(); at != nullptr; at = at->ai_next) {
    const Fd socket(::socket(at->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (!socket.is_open() || ::connect(socket.get(), at->ai_addr, at->ai_addrlen) != 0) continue;
    sockaddr_storage local{};
    socklen_t length = sizeof local;
    auto* address = reinterpret_cast<sockaddr*>(&local);
    if (::getsockname(socket.get(), address, &length) != 0) continue;
    if (std::string text = text_of(address, length); !text.empty()) return text;
  }
  return fail(ErrorCode::kUnavailable, "host {}: no route: {}", host, std::strerror(errno));
}

std::string host_part(const std::string& address) { return address.substr(0, address.rfind(':')); }

bool is_wildcard(std::string_view host) { return host == "0.0.0.0" || host == "[::]"; }

bool is_loopback(std::string_view host) {
  return host.starts_with("127.") || host == "[::1]" || host == "localhost";
}

std::string own_address() {
  ifaddrs* found = nullptr;
  if (::getifaddrs(&found) != 0) return "127.0.0.1";
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> interfaces(found, ::freeifaddrs);
  for (const int family : {AF_INET, AF_INET6}) {
    const socklen_t length = family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
    for (const ifaddrs* at = interfaces.get(); at != nullptr; at = at->ifa_next) {
      const bool is_up = (at->ifa_flags & IFF_UP) != 0 && (at->ifa_flags & IFF_LOOPBACK) == 0;
      if (!is_up || at->ifa_addr == nullptr || at->ifa_addr->sa_family != family) continue;
      std::string text = text_of(at->ifa_addr, length);
      // Other machines cannot use link-local addresses.
      const bool is_of_link = text.find('%') != std::string::npos;
      if (!text.empty() && !is_of_link) return text;
    }
  }
  return "127.0.0.1";
}

bool is_of_this_user(int socket) {
  ucred peer{};
  socklen_t length = sizeof(peer);
  return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 &&
         peer.uid == ::geteuid();
}

Result<Fd> connect_unix(const std::string& address) {
  SURETY_TRY(const SocketAddress target, parse_unix_address(address));
  Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const timeval patience{.tv_sec = 0, .tv_usec = 200'000};
  if (!socket.is_open() ||
      ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)) != 0 ||
      ::connect(socket.get(), target.get(), target.length) != 0) {
    return fail(ErrorCode::kUnavailable, "{}: {}", address, std::strerror(errno));
  }
  if (!is_of_this_user(socket.get())) {
    return fail(ErrorCode::kUnavailable, "{}: its process belongs to another user", address);
  }
  return socket;
}

Result<void> reach(const std::string& address, Duration patience) {
  if (address.starts_with(kUnixPrefix)) {
    SURETY_TRY(const Fd socket, connect_unix(address));
    return {};
  }
  const std::size_t colon = address.rfind(':');
  if (colon == std::string::npos) {
    return fail(ErrorCode::kInvalidInput, "found address {}, expected HOST:PORT", address);
  }
  SURETY_TRY(const Addresses addresses,
             resolve(address.substr(0, colon), address.substr(colon + 1), SOCK_STREAM));
  int error = 0;
  for (const addrinfo* at = addresses.get(); at != nullptr; at = at->ai_next) {
    const Fd socket(::socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    error = socket.is_open() ? connect_within(socket.get(), *at, patience) : errno;
    if (error == 0) return {};
  }
  return fail(ErrorCode::kUnavailable, "{}: {}", address, std::strerror(error));
}

}  // namespace surety::posix
