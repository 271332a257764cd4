// The connections of the UCX transport, from their beginning until UCX holds no resources of them
// any more. Only files in this folder include this header.
//
// UCX calls back from within progress(). Callbacks only record what happened. So a connection is
// closed in two steps (ucx_connection.h): it fails, and later close_failed() closes it. PeerLost is
// reported when UCX no longer uses any of the connection's buffers.
#pragma once

#include <ucp/api/ucp.h>

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bench/ucx/ucx_connection.h"
#include "bench/ucx/ucx_context.h"
#include "fabric/transport/transport.h"

namespace surety::fabric {

// INVARIANT: each connection has a number of its own, which is never used again. An endpoint
// belongs to its connection from its opening until its closing begins.
class UcxConnections {
 public:
  // `context` must outlive the connections.
  explicit UcxConnections(UcxContext& context) : context_(context) {}

  // Adds a connection and opens its endpoint to what `params` names. If this cannot be done, the
  // connection has failed and has no endpoint.
  UcxConnection& open(bool they_called, ucp_ep_params_t params);

  // The connection with this number, or with this open endpoint; null if there is none. O(log n).
  [[nodiscard]] UcxConnection* find(PeerId peer) const;
  [[nodiscard]] UcxConnection* of_endpoint(ucp_ep_h endpoint) const;
  [[nodiscard]] bool empty() const { return connections_.empty(); }

  // If more than `silent_max` connections of others have not sent a hello, the oldest of these
  // fails and makes room for later ones. O(n).
  void cut_off_oldest_silent(std::size_t silent_max);
  // All connections fail.
  void fail_all(const std::string& reason);
  // Closes connections that have failed. Removes those of which UCX holds no resources any more,
  // and appends PeerLost for each whose loss must be reported. O(n).
  void close_failed(std::vector<TransportEvent>& events);

 private:
  static void on_error(void* connection, ucp_ep_h endpoint, ucs_status_t status);
  [[nodiscard]] bool close(UcxConnection& connection);

  UcxContext& context_;
  PeerId made_ = 0;  // The number of connections so far.
  std::map<PeerId, std::unique_ptr<UcxConnection>> connections_;
  std::map<ucp_ep_h, UcxConnection*> by_endpoint_;
};

}  // namespace surety::fabric
