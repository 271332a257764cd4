#include "bench/ucx/ucx_connections.h"

namespace surety::fabric {

using State = UcxConnection::State;

UcxConnection& UcxConnections::open(bool they_called, ucp_ep_params_t params) {
  const PeerId peer = made_++;
  auto& added = connections_[peer] = std::make_unique<UcxConnection>(peer, they_called);
  UcxConnection& connection = *added;
  params.field_mask |= UCP_EP_PARAM_FIELD_ERR_HANDLER | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE;
  params.err_mode = UCP_ERR_HANDLING_MODE_PEER;
  params.err_handler = {.cb = on_error, .arg = &connection};
  const ucs_status_t status = ucp_ep_create(context_.worker(), &params, &connection.endpoint);
  if (status == UCS_OK) {
    by_endpoint_[connection.endpoint] = &connection;
  } else {
    connection.endpoint = nullptr;
    connection.fail(text_of(status));
  }
  return connection;
}

void UcxConnections::on_error(void* connection, ucp_ep_h, ucs_status_t status) {
  static_cast<UcxConnection*>(connection)->fail(text_of(status));
}

UcxConnection* UcxConnections::find(PeerId peer) const {
  const auto at = connections_.find(peer);
  return at == connections_.end() ? nullptr : at->second.get();
}

UcxConnection* UcxConnections::of_endpoint(ucp_ep_h endpoint) const {
  const auto at = by_endpoint_.find(endpoint);
  return at == by_endpoint_.end() ? nullptr : at->second;
}

void UcxConnections::cut_off_oldest_silent(std::size_t silent_max) {
  UcxConnection* oldest = nullptr;
  std::size_t silent = 0;
  for (const auto& [peer, connection] : connections_) {
    if (!connection->called_us || connection->state != State::kGreeting) continue;
    if (silent++ == 0) oldest = connection.get();
  }
  if (silent > silent_max) oldest->fail("no Hello arrived");
}

void UcxConnections::fail_all(const std::string& reason) {
  for (auto& [peer, connection] : connections_) connection->fail(reason);
}

// Returns true when UCX holds no resources of the connection any more.
bool UcxConnections::close(UcxConnection& connection) {
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

void UcxConnections::close_failed(std::vector<TransportEvent>& events) {
  for (auto at = connections_.begin(); at != connections_.end();) {
    UcxConnection& connection = *at->second;
    if (connection.usable() || !close(connection)) {
      ++at;
      continue;
    }
    if (connection.reported) events.emplace_back(PeerLost{connection.peer, connection.reason});
    at = connections_.erase(at);
  }
}

}  // namespace surety::fabric
