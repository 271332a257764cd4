#include "base/posix/route.h"

#include <netdb.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include "base/posix/fd.h"

namespace surety::posix {
namespace {

using Addresses = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

Result<Addresses> resolve(std::string host) {
  if (host.size() > 2 && host.front() == '[') host = host.substr(1, host.size() - 2);
  addrinfo hints{};
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  // Any port will do: nothing is sent there.
  const int error = ::getaddrinfo(host.c_str(), "9", &hints, &found);
  if (error == 0) return Addresses(found, ::freeaddrinfo);
  return fail(ErrorCode::kUnavailable, "host {}: {}", host, ::gai_strerror(error));
}

}  // namespace

Result<std::string> local_address_towards(const std::string& host) {
  SURETY_TRY(const Addresses addresses, resolve(host));
  for (const addrinfo* at = addresses.get(); at != nullptr; at = at->ai_next) {
    const Fd socket(::socket(at->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (!socket.is_open() || ::connect(socket.get(), at->ai_addr, at->ai_addrlen) != 0) continue;
    sockaddr_storage local{};
    socklen_t length = sizeof local;
    auto* address = reinterpret_cast<sockaddr*>(&local);
    std::array<char, NI_MAXHOST> text{};
    if (::getsockname(socket.get(), address, &length) != 0 ||
        ::getnameinfo(address, length, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) != 0) {
      continue;
    }
    return at->ai_family == AF_INET6 ? fmt::format("[{}]", text.data()) : std::string(text.data());
  }
  return fail(ErrorCode::kUnavailable, "host {}: no route: {}", host, std::strerror(errno));
}

}  // namespace surety::posix
