#include "bench/ucx/ucx_transport.h"

#include <ucp/api/ucp.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/posix/clock.h"
#include "base/posix/net/interface.h"
#include "base/posix/net/route.h"
#include "base/posix/net/socket_address.h"
#include "bench/ucx/listening_port.h"
#include "bench/ucx/ucx_connections.h"
#include "bench/ucx/ucx_context.h"
#include "bench/ucx/ucx_frames.h"
#include "fabric/transport/events.h"

namespace surety::fabric {
namespace {

// Number of calls of UCX before events are returned.
constexpr int kProgressAtOnce = 64;
// Loopback has no port: everything on the machine shares it.
constexpr const char* kLoopback = "lo";
// Limit on incoming connections that have not sent a hello yet.
constexpr std::size_t kSilentMax = 256;
// Limit on waiting, at the end, for UCX to give up callers that it has not reported.
constexpr Duration kCloseMax = std::chrono::seconds(1);
constexpr Duration kClosePause = std::chrono::milliseconds(1);

// UCX calls back from within progress(). Callbacks record what happened and never close anything;
// poll() then accepts and closes.
class Ucx final : public WakeableTransport {
 public:
  Ucx(const TransportOptions& options, std::unique_ptr<UcxContext> context)
      : context_(std::move(context)),
        connections_(*context_),
        frames_(options, *context_, connections_, events_) {}
  ~Ucx() override;

  [[nodiscard]] Result<void> listen(const UcxOptions& options);

  [[nodiscard]] const std::string& address() const override { return address_; }
  [[nodiscard]] Result<PeerId> connect(const std::string& address) override;
  [[nodiscard]] Result<std::uint64_t> send(PeerId peer, const Tag& tag,
                                           std::span<const std::byte> bytes) override;
  [[nodiscard]] std::vector<TransportEvent> poll(Duration wait) override;
  void disconnect(PeerId peer) override;
  [[nodiscard]] std::optional<PortBytes> port_bytes() override;
  void wake() override { context_->wake(); }

 private:
  static void on_connection(ucp_conn_request_h request, void* self);
  void progress();
  void accept_waiting();

  std::unique_ptr<UcxContext> context_;
  ucp_listener_h listener_ = nullptr;
  std::optional<ListeningPort> port_;  // The listener's port.
  std::string address_;
  // The network interface in use; absent if it is all interfaces, or loopback.
  std::optional<posix::InterfaceReader> interface_;
  // Connection requests that wait for the next poll.
  std::vector<ucp_conn_request_h> waiting_;
  std::vector<TransportEvent> events_;  // Events that wait for the next poll.
  UcxConnections connections_;
  UcxFrames frames_;
};

Result<void> Ucx::listen(const UcxOptions& options) {
  frames_.start_receiving();

  SURETY_TRY(const posix::SocketAddress wanted, posix::parse_socket_address(options.listen));
  ucp_listener_params_t params{};
  params.field_mask = UCP_LISTENER_PARAM_FIELD_SOCK_ADDR | UCP_LISTENER_PARAM_FIELD_CONN_HANDLER;
  params.sockaddr = {.addr = wanted.get(), .addrlen = wanted.length};
  params.conn_handler = {.cb = on_connection, .arg = this};
  const ucs_status_t listening = ucp_listener_create(context_->worker(), &params, &listener_);
  if (listening != UCS_OK) {
    return fail(ErrorCode::kUnavailable, "cannot listen on {}: {}", options.listen,
                text_of(listening));
  }
  ucp_listener_attr_t found{};
  found.field_mask = UCP_LISTENER_ATTR_FIELD_SOCKADDR;
  SURETY_CHECK(ucp_listener_query(listener_, &found) == UCS_OK);
  port_.emplace(found.sockaddr);
  const std::string host = options.advertise.value_or(posix::host_of(found.sockaddr));
  if (posix::is_wildcard(host)) {
    return fail(ErrorCode::kInvalidInput,
                "listening on {}: give the address at which other machines reach this one",
                options.listen);
  }
  address_ = fmt::format("{}:{}", host, posix::port_of(found.sockaddr));
  SURETY_TRY(const posix::SocketAddress ours, posix::parse_socket_address(address_));
  const std::string interface = posix::interface_with(ours.storage);
  if (interface == kLoopback) return {};
  if (auto reader = posix::InterfaceReader::of(interface)) interface_ = std::move(*reader);
  return {};
}

std::optional<PortBytes> Ucx::port_bytes() {
  if (!interface_) return std::nullopt;
  const posix::InterfaceBytes bytes = interface_->read();
  return PortBytes{.out = bytes.out, .in = bytes.in};
}

Ucx::~Ucx() {
  // All connections are closed by force, without waiting for peers: UCX releases its resources
  // within a few steps of progress. The same happens to callers that UCX has not reported yet,
  // because none may be left when the listener is destroyed (listening_port.h).
  const Time deadline = posix::now() + kCloseMax;
  // A caller may be accepted while the first listing is under way, so the loop lists again.
  if (port_) static_cast<void>(port_->shut_down());
  while (true) {
    accept_waiting();
    connections_.fail_all("closed");
    connections_.close_failed(events_);
    const bool is_called = port_ && port_->shut_down() != 0u && posix::now() < deadline;
    if (connections_.empty() && !is_called) break;
    for (int i = 0; i < kProgressAtOnce && context_->progress(); ++i) {
    }
    static_cast<void>(context_->sleep(kClosePause));
  }
  if (listener_ != nullptr) ucp_listener_destroy(listener_);
  context_.reset();
}

Result<PeerId> Ucx::connect(const std::string& address) {
  SURETY_TRY(const posix::SocketAddress target, posix::parse_socket_address(address));
  ucp_ep_params_t params{};
  params.field_mask = UCP_EP_PARAM_FIELD_FLAGS | UCP_EP_PARAM_FIELD_SOCK_ADDR;
  params.flags = UCP_EP_PARAMS_FLAGS_CLIENT_SERVER;
  params.sockaddr = {.addr = target.get(), .addrlen = target.length};
  UcxConnection& connection = connections_.open(false, params);
  if (connection.endpoint != nullptr) frames_.send_hello(connection);
  return connection.peer;
}

Result<std::uint64_t> Ucx::send(PeerId peer, const Tag& tag, std::span<const std::byte> bytes) {
  UcxConnection* const connection = connections_.find(peer);
  if (connection == nullptr || !connection->usable()) {
    return fail(ErrorCode::kUnavailable, "peer {} is lost", peer);
  }
  return frames_.send(*connection, tag, bytes);
}

std::vector<TransportEvent> Ucx::poll(Duration wait) {
  const Time deadline = posix::now() + wait;
  progress();
  for (bool over = false; events_.empty() && !over; progress()) {
    const Duration left = deadline - posix::now();
    over = left <= Duration::zero() || context_->sleep(left);
  }
  return std::exchange(events_, {});
}

void Ucx::progress() {
  for (int i = 0; i < kProgressAtOnce && context_->progress(); ++i) {
  }
  accept_waiting();
  connections_.close_failed(events_);
}

void Ucx::on_connection(ucp_conn_request_h request, void* self) {
  static_cast<Ucx*>(self)->waiting_.push_back(request);
}

void Ucx::accept_waiting() {
  for (const ucp_conn_request_h request : std::exchange(waiting_, {})) {
    ucp_ep_params_t params{};
    params.field_mask = UCP_EP_PARAM_FIELD_CONN_REQUEST;
    params.conn_request = request;
    connections_.open(true, params);
    connections_.cut_off_oldest_silent(kSilentMax);
  }
}

void Ucx::disconnect(PeerId peer) {
  if (UcxConnection* const connection = connections_.find(peer)) {
    connection->reported = false;
    connection->fail("disconnected");
  }
  while (connections_.find(peer) != nullptr) {
    context_->progress();
    connections_.close_failed(events_);
  }
  erase_events_of(peer, events_);
}

}  // namespace

Result<std::unique_ptr<WakeableTransport>> make_ucx_transport(const UcxOptions& options) {
  SURETY_TRY(const posix::SocketAddress listen, posix::parse_socket_address(options.listen));
  SURETY_TRY(auto context, UcxContext::make(posix::interface_with(listen.storage)));
  auto transport = std::make_unique<Ucx>(options.transport, std::move(context));
  SURETY_TRY(transport->listen(options));
  return transport;
}

}  // namespace surety::fabric
