#include "fabric/sockets/listener.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/check.h"
#include "base/posix/route.h"

namespace surety::fabric {
namespace {

namespace fs = std::filesystem;

constexpr int kFlags = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;
constexpr const char* kLoopback = "lo";

std::string text_of_errno() { return std::generic_category().message(errno); }

std::string address_in(const fs::path& folder) {
  return fmt::format("{}{}", posix::kUnixPrefix, (folder / "worker").string());
}

// A new folder that only this user may enter.
Result<fs::path> private_folder() {
  std::error_code error;
  const fs::path usual = fs::temp_directory_path(error);
  std::string why = "the path is too long";
  for (const fs::path& parent : {usual, fs::path("/tmp")}) {
    std::string path = (parent / "surety-XXXXXX").string();
    // A relative path would mean another folder to another process.
    if (!parent.is_absolute() || !posix::parse_unix_address(address_in(path))) continue;
    if (::mkdtemp(path.data()) != nullptr) return path;  // mkdtemp() gives mode 0700.
    why = text_of_errno();
  }
  return fail(ErrorCode::kInvalidInput,
              "no folder for a socket can be made in {} or /tmp: {}; set TMPDIR to a short path "
              "that you may write to",
              usual.string(), why);
}

posix::Fd spare() { return posix::Fd(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }

bool is_of_this_user(int fd) {
  ucred peer{};
  socklen_t length = sizeof(peer);
  return ::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && peer.uid == ::geteuid();
}

// Each of these options only makes it faster.
void set(int fd, int level, int option, int value) {
  static_cast<void>(::setsockopt(fd, level, option, &value, sizeof(value)));
}

// Bytes that the kernel takes before the network does: a later message waits for them.
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
    return fail(ErrorCode::kUnavailable, "cannot listen on {}: {}", text, text_of_errno());
  }
  return fd;
}

tl::unexpected<Error> cannot_call(const std::string& address) {
  return fail(ErrorCode::kUnavailable, "{}: {}", address, text_of_errno());
}

// The socket blocks, but all calls on it say that they do not wait.
Result<posix::Fd> call_unix(const std::string& address) {
  SURETY_TRY(posix::Fd fd, posix::connect_unix(address));
  if (!is_of_this_user(fd.get())) {
    return fail(ErrorCode::kUnavailable, "{}: its process belongs to another user", address);
  }
  return fd;
}

}  // namespace

bool is_on_this_machine(const std::string& address) {
  return address.starts_with(posix::kUnixPrefix);
}

Result<Listener> Listener::on_this_machine() {
  SURETY_TRY(const fs::path folder, private_folder());
  Listener listener({}, address_in(folder));
  listener.folder_ = folder;  // It is removed from here on.
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

Listener::Listener(Listener&& other) noexcept
    : fd_(std::move(other.fd_)),
      spare_(std::move(other.spare_)),
      address_(std::move(other.address_)),
      folder_(std::exchange(other.folder_, std::nullopt)),
      own_(other.own_) {}

Listener::~Listener() {
  if (!folder_) return;
  std::error_code error;  // Others have removed it already.
  fs::remove_all(*folder_, error);
}

std::string Listener::interface() const {
  if (!own_) return {};
  // The address that others use may be of an interface though we listen on all of them.
  const auto advertised = posix::parse_socket_address(address_);
  const std::string name = posix::interface_with(advertised ? advertised->storage : own_->storage);
  return name == kLoopback ? std::string() : name;
}

std::optional<posix::Fd> Listener::accept() {
  posix::Fd fd(::accept4(fd_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (!fd.is_open()) {
    if (errno == EAGAIN || errno == EWOULDBLOCK) return std::nullopt;
    if (errno != EMFILE && errno != ENFILE) return posix::Fd();
    // Without this the caller would stay, and epoll would report it without end.
    spare_.reset(-1);
    fd.reset(::accept4(fd_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    fd.reset(-1);
    spare_ = spare();
    return posix::Fd();
  }
  if (own_) {
    prepare_tcp(fd.get());
  } else if (!is_of_this_user(fd.get())) {
    return posix::Fd();
  }
  return fd;
}

Result<posix::Fd> Listener::call(const std::string& address) const {
  if (is_on_this_machine(address)) return call_unix(address);
  SURETY_TRY(const posix::SocketAddress target, posix::parse_socket_address(address));
  posix::Fd fd(::socket(target.storage.ss_family, kFlags, 0));
  if (!fd.is_open()) return cannot_call(address);
  prepare_tcp(fd.get());
  if (own_ && own_->storage.ss_family == target.storage.ss_family) {
    // The bytes leave by the interface of our address.
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
