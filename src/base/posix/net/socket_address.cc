#include "base/posix/net/socket_address.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <array>
#include <charconv>
#include <cstring>
#include <memory>

#include "base/check.h"

namespace surety::posix {
namespace {

template <typename T>
T as(const sockaddr_storage& storage) {
  T address{};
  std::memcpy(&address, &storage, sizeof(address));
  return address;
}

bool parse_port(std::string_view text, std::uint16_t& port) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

Result<SocketAddress> parse_socket_address(const std::string& text) {
  const auto colon = text.rfind(':');
  std::uint16_t port = 0;
  if (colon == std::string::npos || !parse_port(std::string_view(text).substr(colon + 1), port)) {
    return fail(ErrorCode::kInvalidInput, "address '{}': expected IP:PORT", text);
  }
  std::string host = text.substr(0, colon);
  SocketAddress address;
  sockaddr_in v4{};
  if (inet_pton(AF_INET, host.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    std::memcpy(&address.storage, &v4, sizeof(v4));
    address.length = sizeof(v4);
    return address;
  }
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  sockaddr_in6 v6{};
  if (bracketed && inet_pton(AF_INET6, host.c_str(), &v6.sin6_addr) == 1) {
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(port);
    std::memcpy(&address.storage, &v6, sizeof(v6));
    address.length = sizeof(v6);
    return address;
  }
  return fail(ErrorCode::kInvalidInput,
              "address '{}': found '{}', expected an IPv4 or [IPv6] number", text,
              text.substr(0, colon));
}

Result<SocketAddress> parse_unix_address(const std::string& text) {
  sockaddr_un address{};
  const bool has_prefix = text.starts_with(kUnixPrefix);
  const std::string path = has_prefix ? text.substr(kUnixPrefix.size()) : std::string();
  if (path.empty() || path.size() >= sizeof(address.sun_path) ||
      path.find('\0') != std::string::npos) {
    return fail(ErrorCode::kInvalidInput,
                "address '{}': expected {}PATH, where the path has at most {} bytes", text,
                kUnixPrefix, sizeof(address.sun_path) - 1);
  }
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), path.size());
  SocketAddress out;
  std::memcpy(&out.storage, &address, sizeof(address));
  out.length = sizeof(address);
  return out;
}

std::string host_of(const sockaddr_storage& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address.ss_family == AF_INET) {
    const auto v4 = as<sockaddr_in>(address);
    SURETY_CHECK(inet_ntop(AF_INET, &v4.sin_addr, text.data(), text.size()) != nullptr);
    return text.data();
  }
  SURETY_CHECK(address.ss_family == AF_INET6);
  const auto v6 = as<sockaddr_in6>(address);
  SURETY_CHECK(inet_ntop(AF_INET6, &v6.sin6_addr, text.data(), text.size()) != nullptr);
  return fmt::format("[{}]", text.data());
}

std::uint16_t port_of(const sockaddr_storage& address) {
  if (address.ss_family == AF_INET) return ntohs(as<sockaddr_in>(address).sin_port);
  SURETY_CHECK(address.ss_family == AF_INET6);
  return ntohs(as<sockaddr_in6>(address).sin6_port);
}

std::string interface_with(const sockaddr_storage& address) {
  ifaddrs* first = nullptr;
  if (::getifaddrs(&first) != 0) return {};
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> all(first, ::freeifaddrs);
  const std::string wanted = host_of(address);
  for (const ifaddrs* at = first; at != nullptr; at = at->ifa_next) {
    if (at->ifa_addr == nullptr || at->ifa_addr->sa_family != address.ss_family) continue;
    sockaddr_storage found{};
    std::memcpy(&found, at->ifa_addr,
                address.ss_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6));
    if (host_of(found) == wanted) return at->ifa_name;
  }
  return {};
}

}  // namespace surety::posix
