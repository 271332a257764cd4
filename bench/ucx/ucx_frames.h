// Sends and receives the frames of the UCX transport. Only files in this folder include this
// header.
//
// The first frame in each direction is a hello with the secret. Messages follow when both sides
// have sent theirs, and are delivered in order.
#pragma once

#include <ucp/api/ucp.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "bench/ucx/ucx_connection.h"
#include "bench/ucx/ucx_connections.h"
#include "bench/ucx/ucx_context.h"
#include "fabric/transport/transport.h"
#include "fabric/transport/wire.h"

namespace surety::fabric {

// INVARIANT: no message of a connection is sent or delivered before its hello, and no memory is
// allocated for a payload before its size was checked. A connection that breaks a rule fails.
class UcxFrames {
 public:
  // Events are appended to `events`: Sent and Received. The references must outlive this object.
  UcxFrames(const TransportOptions& options, UcxContext& context, UcxConnections& connections,
            std::vector<TransportEvent>& events)
      : options_(options), context_(context), connections_(connections), events_(events) {}
  UcxFrames(const UcxFrames&) = delete;
  UcxFrames& operator=(const UcxFrames&) = delete;

  // Frames are received from now on. Call it once.
  void start_receiving();
  // Sends the first frame of a connection that this side has started.
  void send_hello(UcxConnection& connection);
  // Sends a message now, or when the hello has arrived. Returns its ticket. The bytes must stay
  // valid until Sent. REQUIRES: connection.usable().
  [[nodiscard]] std::uint64_t send(UcxConnection& connection, const Tag& tag,
                                   std::span<const std::byte> bytes);

 private:
  // What a callback needs to know about a frame being sent or a payload being received.
  struct Operation {
    UcxFrames& owner;
    UcxConnection& connection;
    // The ticket of a message being sent; absent for a hello.
    std::optional<std::uint64_t> ticket{};
    FrameHeaderBytes header{};         // The header of a frame being sent.
    FrameHeader frame{};               // The header of a payload being received.
    std::vector<std::byte> payload{};  // The payload being received.
  };

  static ucs_status_t on_frame(void* self, const void* header, std::size_t header_bytes, void* data,
                               std::size_t data_bytes, const ucp_am_recv_param_t* param);
  static void on_sent(void* request, ucs_status_t status, void* operation);
  static void on_payload(void* request, ucs_status_t status, std::size_t bytes, void* operation);

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

  const TransportOptions options_;
  UcxContext& context_;
  UcxConnections& connections_;
  std::vector<TransportEvent>& events_;
  std::uint64_t tickets_made_ = 0;
};

}  // namespace surety::fabric
