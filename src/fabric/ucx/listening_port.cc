#include "fabric/ucx/listening_port.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <charconv>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "base/posix/fd.h"
#include "fabric/ucx/socket_address.h"

namespace surety::fabric {
namespace {

namespace fs = std::filesystem;

struct Socket {
  posix::Fd fd;
  ino_t number = 0;
};

// True if the socket's own address is `address`.
bool is_bound_to(int fd, const sockaddr_storage& address) {
  sockaddr_storage own{};
  socklen_t length = sizeof(own);
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&own), &length) != 0) return false;
  if (own.ss_family != AF_INET && own.ss_family != AF_INET6) return false;
  return port_of(own) == port_of(address);
}

// Each socket is duplicated first. Its owner may close it meanwhile, and another thread may then
// get the same number for another file.
std::vector<Socket> sockets_on(const sockaddr_storage& address) {
  std::vector<Socket> found;
  std::error_code error;
  for (fs::directory_iterator at("/proc/self/fd", error), end; !error && at != end;
       at.increment(error)) {
    const std::string name = at->path().filename();
    int number = -1;
    std::from_chars(name.data(), name.data() + name.size(), number);
    posix::Fd fd(::fcntl(number, F_DUPFD_CLOEXEC, 0));
    struct stat status {};
    if (!fd.is_open() || ::fstat(fd.get(), &status) != 0 || !S_ISSOCK(status.st_mode)) continue;
    if (is_bound_to(fd.get(), address)) found.push_back({std::move(fd), status.st_ino});
  }
  return found;
}

bool listens(int fd) {
  int found = 0;
  socklen_t length = sizeof(found);
  return ::getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &found, &length) == 0 && found != 0;
}

}  // namespace

ListeningPort::ListeningPort(const sockaddr_storage& address) : address_(address) {
  for (const Socket& socket : sockets_on(address)) {
    if (listens(socket.fd.get())) listener_ = socket.number;
  }
}

std::size_t ListeningPort::shut_down() const {
  std::size_t connections = 0;
  for (const Socket& socket : sockets_on(address_)) {
    // A failure means that the other side has ended the connection already.
    static_cast<void>(::shutdown(socket.fd.get(), SHUT_RDWR));
    if (socket.number != listener_) ++connections;
  }
  return connections;
}

}  // namespace surety::fabric
