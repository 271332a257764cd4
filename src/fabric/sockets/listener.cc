#include "fabric/sockets/listener.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/check.h"
#include "base/posix/net/route.h"

namespace surety::fabric {
namespace {

constexpr int kFlags = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;
constexpr const char* kLoopback = "lo";

std::string text_of_errno() { return std::generic_category().message(errno); }

posix::Fd spare() { return posix::Fd(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }

// Each of these options only makes it faster.
void set(int fd, int level, int option, int value) {
  static_cast<void>(::setsockopt(fd, level, option, &value, sizeof(value)));
}

// Limit on the unsent bytes in the kernel, because a later message waits behind them.
constexpr int kUnsentBytes = 32 << 10;

void prepare_tcp(int fd) {
  set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
  set(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, kUnsentBytes);
}

Result<posix::Fd> listening(const posix::SocketAddress& address, const std::string& text) {
  posix::Fd fd(::socket(address.storage.ss_family, kFlags, 0));
  if (address.storage.ss_family != AF_UNIX) set(fd.get(), SOL_SOCKET, SO_REUSEADDR, 1);
  if (!fd.is_open() || ::bind(fd.get(), address.get(), address.length) != 0 ||
      ::listen(fd.get(), SOMAXCONN) != 0) {
    const bool is_wrong_address =
        address.storage.ss_family != AF_UNIX &&
        (errno == EADDRINUSE || errno == EADDRNOTAVAIL || errno == EACCES);
    if (!is_wrong_address) {
      return fail(ErrorCode::kUnavailable, "cannot listen on {}: {}", text, text_of_errno());
    }
    return fail(ErrorCode::kInvalidInput,
                "cannot listen on {}: {}; expected an address of this machine, and a port that is "
                "free and that this user may use (port 0 takes any free port)",
                text, text_of_errno());
  }
  return fd;
}

// Other processes have sockets in the same folder.
std::string new_name() {
  static std::atomic<int> made = 0;
  return fmt::format("worker-{}-{}", ::getpid(), ++made);
}

tl::unexpected<Error> cannot_call(const std::string& address) {
  return fail(ErrorCode::kUnavailable, "{}: {}", address, text_of_errno());
}

}  // namespace

bool is_on_this_machine(const std::string& address) {
  return address.starts_with(posix::kUnixPrefix);
}

Result<Listener> Listener::on_this_machine(const std::optional<std::string>& beside) {
  SURETY_TRY(posix::SocketPlace place, beside ? posix::SocketPlace::beside(*beside, new_name())
                                              : posix::SocketPlace::in_new_folder(new_name()));
  Listener listener({}, place.address());
  listener.place_.emplace(std::move(place));
  SURETY_TRY(const posix::SocketAddress own, posix::parse_unix_address(listener.address()));
  SURETY_TRY(listener.fd_, listening(own, listener.address()));
  return listener;
}

Result<Listener> Listener::on_network(const std::string& listen,
                                      const std::optional<std::string>& advertise) {
  SURETY_TRY(const posix::SocketAddress wanted, posix::parse_socket_address(listen));
  const std::string host = advertise.value_or(posix::host_of(wanted.storage));
  SURETY_TRY(const posix::SocketAddress advertised, posix::parse_socket_address(host + ":0"));
  if (posix::is_wildcard(posix::host_of(advertised.storage))) {
    return fail(ErrorCode::kInvalidInput,
                "listening on {}: give the address at which other machines reach this one", listen);
  }
  SURETY_TRY(posix::Fd fd, listening(wanted, listen));
  posix::SocketAddress found;
  found.length = sizeof(found.storage);
  SURETY_CHECK(
      ::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&found.storage), &found.length) == 0);
  Listener listener(std::move(fd), fmt::format("{}:{}", host, posix::port_of(found.storage)));
  listener.own_ = found;
  return listener;
}

Listener::Listener(posix::Fd fd, std::string address)
    : fd_(std::move(fd)), spare_(spare()), address_(std::move(address)) {}

std::string Listener::interface() const {
  if (!own_) return {};
  // The address that others use may belong to one interface although we listen on all of them.
  const auto advertised = posix::parse_socket_address(address_);
  const std::string name = posix::interface_with(advertised ? advertised->storage : own_->storage);
  return name == kLoopback ? std::string() : name;
}

std::optional<posix::Fd> Listener::accept() {
  posix::Fd fd(::accept4(fd_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (!fd.is_open()) {
    if (errno == EAGAIN || errno == EWOULDBLOCK) return std::nullopt;
    if (errno != EMFILE && errno != ENFILE) return posix::Fd();
    // Without this the caller would remain in the queue, and epoll would report it again and again.
    spare_.reset(-1);
    fd.reset(::accept4(fd_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    fd.reset(-1);
    spare_ = spare();
    return posix::Fd();
  }
  if (own_) {
    prepare_tcp(fd.get());
  } else if (!posix::is_of_this_user(fd.get())) {
    return posix::Fd();
  }
  return fd;
}

Result<posix::Fd> Listener::call(const std::string& address) const {
  // A Unix socket is blocking, but all calls on it have a flag so that they do not wait.
  if (is_on_this_machine(address)) return posix::connect_unix(address);
  SURETY_TRY(const posix::SocketAddress target, posix::parse_socket_address(address));
  posix::Fd fd(::socket(target.storage.ss_family, kFlags, 0));
  if (!fd.is_open()) return cannot_call(address);
  prepare_tcp(fd.get());
  if (own_ && own_->storage.ss_family == target.storage.ss_family) {
    // The bytes are sent over the interface of our address.
    const std::string host = posix::host_of(own_->storage);
    if (!posix::is_wildcard(host)) {
      SURETY_TRY(const posix::SocketAddress source, posix::parse_socket_address(host + ":0"));
      static_cast<void>(::bind(fd.get(), source.get(), source.length));
    }
  }
  if (::connect(fd.get(), target.get(), target.length) != 0 && errno != EINPROGRESS) {
    return cannot_call(address);
  }
  return fd;
}

}  // namespace surety::fabric
