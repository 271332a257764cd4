#include "fabric/ucx/ucx_transport.h"

#include <utility>

#include "base/check.h"
#include "base/posix/clock.h"
#include "fabric/ucx/socket_address.h"
#include "fabric/ucx/ucx_impl.h"

namespace surety::fabric {
namespace {

using State = UcxConnection::State;

// Calls of UCX before events are handed over.
constexpr int kProgressAtOnce = 64;
// Loopback has no port: everything on the machine shares it.
constexpr const char* kLoopback = "lo";
// Limit on incoming connections that have not sent a hello yet.
constexpr std::size_t kSilentMax = 256;

}  // namespace

Result<void> Ucx::listen(const UcxOptions& options) {
  ucp_am_handler_param_t handler{};
  handler.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_FLAGS |
                       UCP_AM_HANDLER_PARAM_FIELD_CB | UCP_AM_HANDLER_PARAM_FIELD_ARG;
  handler.id = kAmId;
  handler.flags = UCP_AM_FLAG_WHOLE_MSG;
  handler.cb = on_frame;
  handler.arg = this;
  SURETY_CHECK(ucp_worker_set_am_recv_handler(context_->worker(), &handler) == UCS_OK);

  SURETY_TRY(const SocketAddress wanted, parse_socket_address(options.listen));
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
  const std::string host = options.advertise.empty() ? host_of(found.sockaddr) : options.advertise;
  if (host == "0.0.0.0" || host == "[::]") {
    return fail(ErrorCode::kInvalidInput,
                "listening on {}: give the address at which other machines reach this one",
                options.listen);
  }
  address_ = fmt::format("{}:{}", host, port_of(found.sockaddr));
  SURETY_TRY(const SocketAddress ours, parse_socket_address(address_));
  const std::string interface = interface_with(ours.storage);
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
  for (auto& [peer, connection] : connections_) connection->fail("closed");
  // A forced close waits for no peer: UCX releases what it holds within a few steps of progress.
  while (!connections_.empty()) {
    context_->progress();
    close_failed();
  }
  // UCX has a thread that passes connection requests to the listener, and it crashes if one arrives
  // between the end of the listener and that of UCX's worker (openucx issue 11087). So the listener
  // is destroyed last, immediately before the worker.
  for (const ucp_conn_request_h request : waiting_) ucp_listener_reject(listener_, request);
  if (listener_ != nullptr) ucp_listener_destroy(listener_);
  context_.reset();
}

UcxConnection& Ucx::add_connection(bool they_called) {
  const PeerId peer = peers_made_++;
  auto& connection = connections_[peer] = std::make_unique<UcxConnection>(peer, they_called);
  return *connection;
}

ucs_status_t Ucx::open_endpoint(UcxConnection& connection, ucp_ep_params_t& params) {
  params.field_mask |= UCP_EP_PARAM_FIELD_ERR_HANDLER | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE;
  params.err_mode = UCP_ERR_HANDLING_MODE_PEER;
  params.err_handler = {.cb = on_error, .arg = &connection};
  const ucs_status_t status = ucp_ep_create(context_->worker(), &params, &connection.endpoint);
  if (status == UCS_OK) {
    by_endpoint_[connection.endpoint] = &connection;
  } else {
    connection.endpoint = nullptr;
    connection.fail(text_of(status));
  }
  return status;
}

Result<PeerId> Ucx::connect(const std::string& address) {
  SURETY_TRY(const SocketAddress target, parse_socket_address(address));
  UcxConnection& connection = add_connection(false);
  ucp_ep_params_t params{};
  params.field_mask = UCP_EP_PARAM_FIELD_FLAGS | UCP_EP_PARAM_FIELD_SOCK_ADDR;
  params.flags = UCP_EP_PARAMS_FLAGS_CLIENT_SERVER;
  params.sockaddr = {.addr = target.get(), .addrlen = target.length};
  if (open_endpoint(connection, params) == UCS_OK) send_hello(connection);
  return connection.peer;
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
  close_failed();
}

void Ucx::on_connection(ucp_conn_request_h request, void* self) {
  static_cast<Ucx*>(self)->waiting_.push_back(request);
}

void Ucx::accept_waiting() {
  for (const ucp_conn_request_h request : std::exchange(waiting_, {})) {
    ucp_ep_params_t params{};
    params.field_mask = UCP_EP_PARAM_FIELD_CONN_REQUEST;
    params.conn_request = request;
    open_endpoint(add_connection(true), params);
    cut_off_oldest_silent();
  }
}

// A connection that never sends a hello makes room for later ones.
void Ucx::cut_off_oldest_silent() {
  UcxConnection* oldest = nullptr;
  std::size_t silent = 0;
  for (const auto& [peer, connection] : connections_) {
    if (!connection->called_us || connection->state != State::kGreeting) continue;
    if (silent++ == 0) oldest = connection.get();
  }
  if (silent > kSilentMax) oldest->fail("no Hello arrived");
}

void Ucx::on_error(void* connection, ucp_ep_h, ucs_status_t status) {
  static_cast<UcxConnection*>(connection)->fail(text_of(status));
}

void Ucx::disconnect(PeerId peer) {
  const auto at = connections_.find(peer);
  if (at != connections_.end()) {
    at->second->reported = false;
    at->second->fail("disconnected");
  }
  while (connections_.contains(peer)) {
    context_->progress();
    close_failed();
  }
  std::erase_if(events_, [peer](const TransportEvent& event) {
    const auto* received = std::get_if<Received>(&event);
    const auto* lost = std::get_if<PeerLost>(&event);
    return (received != nullptr && received->peer == peer) ||
           (lost != nullptr && lost->peer == peer);
  });
}

// Returns true when UCX holds nothing of the connection any more.
bool Ucx::close(UcxConnection& connection) {
  if (connection.state == State::kFailed) {
    connection.state = State::kClosing;
    if (connection.endpoint != nullptr) {
      by_endpoint_.erase(connection.endpoint);
      ucp_request_param_t params{};
      params.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
      params.flags = UCP_EP_CLOSE_FLAG_FORCE;
      connection.closing = ucp_ep_close_nbx(connection.endpoint, &params);
      // An error also ends the connection, and there is no peer left to notify.
      if (UCS_PTR_IS_ERR(connection.closing)) connection.closing = nullptr;
    }
  }
  if (connection.closing != nullptr &&
      ucp_request_check_status(connection.closing) != UCS_INPROGRESS) {
    ucp_request_free(connection.closing);
    connection.closing = nullptr;
  }
  return connection.closing == nullptr && connection.operations == 0;
}

void Ucx::close_failed() {
  for (auto at = connections_.begin(); at != connections_.end();) {
    UcxConnection& connection = *at->second;
    if (connection.usable() || !close(connection)) {
      ++at;
      continue;
    }
    if (connection.reported) events_.emplace_back(PeerLost{connection.peer, connection.reason});
    at = connections_.erase(at);
  }
}

Result<std::unique_ptr<WakeableTransport>> make_ucx_transport(const UcxOptions& options) {
  SURETY_TRY(const SocketAddress listen, parse_socket_address(options.listen));
  SURETY_TRY(auto context, UcxContext::make(interface_with(listen.storage)));
  auto transport = std::make_unique<Ucx>(options.transport, std::move(context));
  SURETY_TRY(transport->listen(options));
  return transport;
}

}  // namespace surety::fabric
