// Internals of the UCX transport, only for the files in this folder.
//
// UCX calls back from within progress(). Callbacks record what happened and never close anything;
// poll() then accepts and closes. A connection is closed in two steps (ucx_connection.h), so that
// PeerLost is reported when UCX no longer uses any of the connection's buffers.
#pragma once

#include <ucp/api/ucp.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/posix/interface.h"
#include "fabric/transport/wire.h"
#include "fabric/ucx/ucx_connection.h"
#include "fabric/ucx/ucx_context.h"
#include "fabric/ucx/ucx_transport.h"

namespace surety::fabric {

// Id of all our frames; their header distinguishes them.
constexpr unsigned kAmId = 0;

class Ucx final : public WakeableTransport {
 public:
  Ucx(const TransportOptions& options, std::unique_ptr<UcxContext> context)
      : options_(options), context_(std::move(context)) {}
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
  // What a callback needs to know about a frame being sent or a payload being received.
  struct Operation {
    Ucx& owner;
    UcxConnection& connection;
    // The ticket of a message being sent; absent for a hello.
    std::optional<std::uint64_t> ticket{};
    FrameHeaderBytes header{};         // The header of a frame being sent.
    FrameHeader frame{};               // The header of a payload being received.
    std::vector<std::byte> payload{};  // The payload being received.
  };

  static void on_connection(ucp_conn_request_h request, void* self);
  static void on_error(void* connection, ucp_ep_h endpoint, ucs_status_t status);
  static ucs_status_t on_frame(void* self, const void* header, std::size_t header_bytes, void* data,
                               std::size_t data_bytes, const ucp_am_recv_param_t* param);
  static void on_sent(void* request, ucs_status_t status, void* operation);
  static void on_payload(void* request, ucs_status_t status, std::size_t bytes, void* operation);

  UcxConnection& add_connection(bool they_called);
  ucs_status_t open_endpoint(UcxConnection& connection, ucp_ep_params_t& params);
  void send_hello(UcxConnection& connection);
  void send_message(UcxConnection& connection, const OutgoingMessage& message);
  void send_frame(UcxConnection& connection, FrameHeader frame, std::span<const std::byte> payload,
                  std::optional<std::uint64_t> ticket);
  void finish_send(std::unique_ptr<Operation> operation, ucs_status_t status);
  void finish_payload(std::unique_ptr<Operation> operation, ucs_status_t status);

  void on_hello(UcxConnection& connection);
  [[nodiscard]] Result<FrameHeader> admit(UcxConnection& connection,
                                          std::span<const std::byte> header,
                                          std::uint64_t data_bytes) const;
  ucs_status_t receive(UcxConnection& connection, const FrameHeader& frame, void* data,
                       bool rendezvous);

  void progress();
  void accept_waiting();
  void cut_off_oldest_silent();
  bool close(UcxConnection& connection);
  void close_failed();

  const TransportOptions options_;
  std::unique_ptr<UcxContext> context_;
  ucp_listener_h listener_ = nullptr;
  std::string address_;
  // The network interface in use; absent if it is all interfaces, or loopback.
  std::optional<posix::InterfaceReader> interface_;
  std::uint64_t tickets_made_ = 0;
  PeerId peers_made_ = 0;
  std::map<PeerId, std::unique_ptr<UcxConnection>> connections_;  // close_failed() removes entries.
  std::map<ucp_ep_h, UcxConnection*> by_endpoint_;                // Connections by open endpoint.
  // Connection requests that wait for the next poll.
  std::vector<ucp_conn_request_h> waiting_;
  std::vector<TransportEvent> events_;  // Events that wait for the next poll.
};

}  // namespace surety::fabric
