#include "bench/ucx/listening_port.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/stat.h>

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <functional>
#include <string>
#include <system_error>

#include "base/posix/fd.h"
#include "base/posix/net/route.h"
#include "base/posix/net/socket_address.h"

namespace surety::fabric {
namespace {

namespace fs = std::filesystem;

// True for a TCP socket whose own address is `address`. If that is every address of the machine,
// the port decides.
bool is_bound_to(int fd, const sockaddr_storage& address) {
  int protocol = 0;
  socklen_t length = sizeof(protocol);
  if (::getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &length) != 0) return false;
  if (protocol != IPPROTO_TCP) return false;
  sockaddr_storage own{};
  length = sizeof(own);
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&own), &length) != 0) return false;
  if (own.ss_family != AF_INET && own.ss_family != AF_INET6) return false;
  if (posix::port_of(own) != posix::port_of(address)) return false;
  const std::string host = posix::host_of(address);
  return posix::is_wildcard(host) || posix::host_of(own) == host;
}

struct Socket {
  int fd = -1;
  ino_t number = 0;
};

// Calls `visit` for each socket of this process that is bound to `address`. Returns false if not
// all open files could be looked at.
//
// Each is duplicated first. Its owner may close it meanwhile, and another thread may then get the
// same number for another file.
bool visit_sockets(const sockaddr_storage& address,
                   const std::function<void(const Socket&)>& visit) {
  bool all = true;
  std::error_code error;
  for (fs::directory_iterator at("/proc/self/fd", error), end; !error && at != end;
       at.increment(error)) {
    const std::string name = at->path().filename();
    int number = -1;
    std::from_chars(name.data(), name.data() + name.size(), number);
    const posix::Fd fd(::fcntl(number, F_DUPFD_CLOEXEC, 0));
    if (!fd.is_open() && errno != EBADF) all = false;
    struct stat status {};
    if (!fd.is_open() || ::fstat(fd.get(), &status) != 0 || !S_ISSOCK(status.st_mode)) continue;
    if (is_bound_to(fd.get(), address)) visit({fd.get(), status.st_ino});
  }
  // Without /proc nothing can be known.
  return all && (!error || error == std::errc::no_such_file_or_directory);
}

bool listens(int fd) {
  int found = 0;
  socklen_t length = sizeof(found);
  return ::getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &found, &length) == 0 && found != 0;
}

}  // namespace

ListeningPort::ListeningPort(const sockaddr_storage& address) : address_(address) {
  visit_sockets(address, [this](const Socket& socket) {
    if (listens(socket.fd)) listener_ = socket.number;
  });
}

std::optional<std::size_t> ListeningPort::shut_down() const {
  std::size_t connections = 0;
  const bool all = visit_sockets(address_, [&](const Socket& socket) {
    // A failure means that the other side has ended the connection already.
    static_cast<void>(::shutdown(socket.fd, SHUT_RDWR));
    if (socket.number != listener_) ++connections;
  });
  return all ? std::optional(connections) : std::nullopt;
}

}  // namespace surety::fabric
