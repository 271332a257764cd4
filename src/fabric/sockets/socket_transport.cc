#include "fabric/sockets/socket_transport.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <map>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/crypto/random_bytes.h"
#include "base/posix/clock.h"
#include "base/posix/net/interface.h"
#include "fabric/sockets/connection.h"
#include "fabric/sockets/listener.h"
#include "fabric/sockets/plain_stream.h"
#include "fabric/sockets/tls_stream.h"
#include "fabric/transport/events.h"

namespace surety::fabric {
namespace {

// Limits on incoming connections that have not sent a hello yet: their number, and their age.
constexpr std::size_t kSilentMax = 256;
constexpr Duration kSilentAgeMax = std::chrono::seconds(10);
constexpr int kReadyAtOnce = 64;
// Connections that are accepted before others have their turn.
constexpr int kAcceptedAtOnce = 64;

// The data that epoll returns for a socket that is not a connection.
constexpr std::uint64_t kWoken = UINT64_MAX;
constexpr std::uint64_t kCalled = UINT64_MAX - 1;

class Sockets final : public WakeableTransport {
 public:
  Sockets(const TransportOptions& options, Listener listener, std::unique_ptr<TlsContext> tls)
      : options_(options),
        listener_(std::move(listener)),
        tls_(std::move(tls)),
        epoll_(::epoll_create1(EPOLL_CLOEXEC)),
        wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

  [[nodiscard]] Result<void> begin();

  [[nodiscard]] const std::string& address() const override { return listener_.address(); }
  [[nodiscard]] Result<PeerId> connect(const std::string& address) override;
  [[nodiscard]] Result<std::uint64_t> send(PeerId peer, const Tag& tag,
                                           std::span<const std::byte> bytes) override;
  [[nodiscard]] std::vector<TransportEvent> poll(Duration wait) override;
  void disconnect(PeerId peer) override;
  [[nodiscard]] std::optional<PortBytes> port_bytes() override;
  void wake() override;

 private:
  struct Entry {
    SocketConnection connection;
    bool watches_writing = false;  // epoll reports when the socket can be written.
  };

  PeerId add(SocketConnection::Direction direction, posix::Fd fd, bool is_plain);
  [[nodiscard]] bool watch(int fd, std::uint64_t name);
  void update_watch(Entry& entry);
  // Waits until a socket is ready, and serves all ready sockets. Returns whether wake() was called.
  bool turn(Duration wait);
  void accept_calls();
  void end_silent_calls();
  void remove_failed();

  const TransportOptions options_;
  Listener listener_;
  std::unique_ptr<TlsContext> tls_;
  Greeting own_;
  posix::Fd epoll_;
  posix::Fd wake_;
  std::map<PeerId, Entry> connections_;
  PeerId peers_made_ = 0;
  std::uint64_t tickets_made_ = 0;
  std::vector<TransportEvent> events_;  // Events that wait for the next poll.
  // The network interface in use; absent if it is all interfaces, loopback, or none.
  std::optional<posix::InterfaceReader> interface_;
};

Result<void> Sockets::begin() {
  own_.secret = options_.secret;
  SURETY_TRY(crypto::random_bytes(std::as_writable_bytes(std::span(&own_.number, 1))));
  if (!epoll_.is_open() || !watch(wake_.get(), kWoken) || !watch(listener_.fd(), kCalled)) {
    return fail(ErrorCode::kUnavailable, "sockets cannot be watched: {}",
                std::generic_category().message(errno));
  }
  const std::string interface = listener_.interface();
  if (interface.empty()) return {};
  if (auto reader = posix::InterfaceReader::of(interface)) interface_ = std::move(*reader);
  return {};
}

bool Sockets::watch(int fd, std::uint64_t name) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = name;
  return ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) == 0;
}

void Sockets::update_watch(Entry& entry) {
  const bool waits = entry.connection.waits_to_write();
  if (waits == entry.watches_writing || entry.connection.failure()) return;
  entry.watches_writing = waits;
  epoll_event event{};
  event.events = EPOLLIN | (waits ? EPOLLOUT : 0u);
  event.data.u64 = entry.connection.peer();
  const int fd = entry.connection.stream().fd();
  SURETY_CHECK(::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event) == 0);
}

PeerId Sockets::add(SocketConnection::Direction direction, posix::Fd fd, bool is_plain) {
  const PeerId peer = peers_made_++;
  const int socket = fd.get();
  std::unique_ptr<ByteStream> stream;
  if (is_plain) {
    stream = std::make_unique<PlainStream>(std::move(fd));
  } else {
    const bool accepts = direction == SocketConnection::Direction::kTheyCalled;
    stream = std::make_unique<TlsStream>(std::move(fd), *tls_, accepts);
  }
  const auto at = connections_.emplace(
      peer,
      Entry{SocketConnection(peer, direction, std::move(stream), options_, own_, posix::now())});
  Entry& entry = at.first->second;
  if (!watch(socket, peer))
    entry.connection.fail("it cannot be watched: " + std::generic_category().message(errno));
  entry.connection.send_queued(events_);
  update_watch(entry);
  return peer;
}

Result<PeerId> Sockets::connect(const std::string& address) {
  Result<posix::Fd> fd = listener_.call(address);
  if (!fd && fd.error().code == ErrorCode::kInvalidInput) return tl::unexpected(fd.error());
  if (fd) {
    return add(SocketConnection::Direction::kWeCalled, std::move(*fd), is_on_this_machine(address));
  }
  const PeerId peer = peers_made_++;
  events_.emplace_back(PeerLost{peer, fd.error().message});
  return peer;
}

Result<std::uint64_t> Sockets::send(PeerId peer, const Tag& tag, std::span<const std::byte> bytes) {
  const auto at = connections_.find(peer);
  if (at == connections_.end() || at->second.connection.failure() ||
      !at->second.connection.is_known()) {
    return fail(ErrorCode::kUnavailable, "peer {} is lost", peer);
  }
  const std::uint64_t ticket = tickets_made_++;
  at->second.connection.send(ticket, tag, bytes);
  at->second.connection.send_queued(events_);
  update_watch(at->second);
  return ticket;
}

std::vector<TransportEvent> Sockets::poll(Duration wait) {
  const Time deadline = posix::now() + wait;
  bool is_over = false;
  while (!is_over) {
    remove_failed();
    const bool has_work =
        !events_.empty() || std::ranges::any_of(connections_, [](const auto& one) {
          return one.second.connection.has_more();
        });
    const Duration left = deadline - posix::now();
    is_over = turn(has_work ? Duration::zero() : std::max(Duration::zero(), left)) ||
              !events_.empty() || left <= Duration::zero();
  }
  remove_failed();
  return std::exchange(events_, {});
}

bool Sockets::turn(Duration wait) {
  // Unlike epoll_wait(), this call accepts times below a millisecond.
  pollfd all{.fd = epoll_.get(), .events = POLLIN, .revents = 0};
  const auto seconds = std::chrono::floor<std::chrono::seconds>(wait);
  const timespec left{.tv_sec = static_cast<time_t>(seconds.count()),
                      .tv_nsec = static_cast<long>((wait - seconds).count())};
  static_cast<void>(::ppoll(&all, 1, &left, nullptr));
  std::array<epoll_event, kReadyAtOnce> ready{};
  const int count = ::epoll_wait(epoll_.get(), ready.data(), kReadyAtOnce, 0);
  bool is_woken = false;
  std::vector<PeerId> served;
  for (const epoll_event& event :
       std::span(ready).first(static_cast<std::size_t>(std::max(count, 0)))) {
    if (event.data.u64 == kWoken) {
      std::uint64_t calls = 0;
      is_woken = ::read(wake_.get(), &calls, sizeof(calls)) == sizeof(calls);
    } else if (event.data.u64 == kCalled) {
      accept_calls();
    } else {
      served.push_back(static_cast<PeerId>(event.data.u64));
    }
  }
  for (auto& [peer, entry] : connections_) {
    const bool is_ready = std::ranges::find(served, peer) != served.end();
    if (entry.connection.failure() || (!is_ready && !entry.connection.has_more())) continue;
    entry.connection.move(events_);
    update_watch(entry);
  }
  end_silent_calls();
  return is_woken;
}

void Sockets::accept_calls() {
  for (int i = 0; i < kAcceptedAtOnce; ++i) {
    std::optional<posix::Fd> fd = listener_.accept();
    if (!fd) return;
    if (!fd->is_open()) continue;
    static_cast<void>(
        add(SocketConnection::Direction::kTheyCalled, *std::move(fd), !listener_.is_on_network()));
  }
}

void Sockets::end_silent_calls() {
  std::size_t silent = 0;
  const Time now = posix::now();
  // The newest comes first, because numbers grow.
  for (auto at = connections_.rbegin(); at != connections_.rend(); ++at) {
    SocketConnection& connection = at->second.connection;
    if (connection.is_known()) continue;
    ++silent;
    if (silent > kSilentMax || now - connection.since() > kSilentAgeMax) {
      connection.fail("sent no Hello");
    }
  }
}

void Sockets::remove_failed() {
  for (auto at = connections_.begin(); at != connections_.end();) {
    const SocketConnection& connection = at->second.connection;
    if (!connection.failure()) {
      ++at;
      continue;
    }
    if (connection.is_known()) {
      events_.emplace_back(PeerLost{connection.peer(), *connection.failure()});
    }
    at = connections_.erase(at);
  }
}

void Sockets::disconnect(PeerId peer) {
  connections_.erase(peer);
  erase_events_of(peer, events_);
}

std::optional<PortBytes> Sockets::port_bytes() {
  if (!interface_) return std::nullopt;
  const posix::InterfaceBytes bytes = interface_->read();
  return PortBytes{.out = bytes.out, .in = bytes.in};
}

void Sockets::wake() {
  const std::uint64_t once = 1;
  // It fails only if the counter is full, and then poll() ends as well.
  static_cast<void>(::write(wake_.get(), &once, sizeof(once)) == sizeof(once));
}

}  // namespace

Result<std::unique_ptr<WakeableTransport>> make_socket_transport(const SocketOptions& options) {
  SURETY_TRY(std::unique_ptr<TlsContext> tls, TlsContext::make(options.key));
  SURETY_TRY(Listener listener, options.network ? Listener::on_network(options.network->listen,
                                                                       options.network->advertise)
                                                : Listener::on_this_machine(options.beside));
  auto transport =
      std::make_unique<Sockets>(options.transport, std::move(listener), std::move(tls));
  SURETY_TRY(transport->begin());
  return transport;
}

}  // namespace surety::fabric
