// Frames of the UCX transport: on their way out, and on their way in.
#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/checksum.h"
#include "fabric/ucx/ucx_impl.h"

namespace surety::fabric {

using State = UcxConnection::State;

Result<std::uint64_t> Ucx::send(PeerId peer, const Tag& tag, std::span<const std::byte> bytes) {
  const auto at = connections_.find(peer);
  if (at == connections_.end() || at->second->state != State::kOpen) {
    return fail(ErrorCode::kUnavailable, "peer {} is lost", peer);
  }
  const std::uint64_t ticket = tickets_made_++;
  send_frame(*at->second,
             {.tag = tag, .payload_bytes = bytes.size(), .payload_checksum = checksum(bytes)},
             bytes, ticket);
  return ticket;
}

void Ucx::send_frame(UcxConnection& connection, FrameHeader frame,
                     std::span<const std::byte> payload, std::optional<std::uint64_t> ticket) {
  frame.sequence = connection.next_to_send++;
  std::unique_ptr<Operation> operation(new Operation{*this, connection});
  operation->ticket = ticket;
  operation->header = encode_frame(frame);
  ucp_request_param_t params{};
  params.op_attr_mask =
      UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_FLAGS;
  params.flags = UCP_AM_SEND_FLAG_REPLY;  // So that the receiver learns which connection it was.
  params.cb.send = on_sent;
  params.user_data = operation.get();
  ++connection.operations;
  void* const request =
      ucp_am_send_nbx(connection.endpoint, kAmId, operation->header.data(),
                      operation->header.size(), payload.data(), payload.size(), &params);
  if (UCS_PTR_IS_PTR(request)) {
    static_cast<void>(operation.release());  // on_sent() takes it back.
  } else {
    finish_send(std::move(operation), UCS_PTR_STATUS(request));
  }
}

void Ucx::on_sent(void* request, ucs_status_t status, void* operation) {
  ucp_request_free(request);
  std::unique_ptr<Operation> sent(static_cast<Operation*>(operation));
  Ucx& owner = sent->owner;
  owner.finish_send(std::move(sent), status);
}

void Ucx::finish_send(std::unique_ptr<Operation> operation, ucs_status_t status) {
  UcxConnection& connection = operation->connection;
  --connection.operations;
  if (status != UCS_OK) {
    connection.fail(text_of(status));
  } else if (operation->ticket) {
    connection.unflushed.push_back(*operation->ticket);
  }
}

// UCX calls a send complete when it has copied the last bytes, which may then sit in its buffers
// until somebody lets it progress. Sent means more: they are with the operating system.
void Ucx::flush(UcxConnection& connection) {
  if (connection.state != State::kOpen || connection.flushing || connection.unflushed.empty()) {
    return;
  }
  std::unique_ptr<Operation> operation(new Operation{*this, connection});
  operation->tickets = std::exchange(connection.unflushed, {});
  ucp_request_param_t params{};
  params.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
  params.cb.send = on_flushed;
  params.user_data = operation.get();
  ++connection.operations;
  connection.flushing = true;
  void* const request = ucp_ep_flush_nbx(connection.endpoint, &params);
  if (UCS_PTR_IS_PTR(request)) {
    static_cast<void>(operation.release());  // on_flushed() takes it back.
  } else {
    finish_flush(std::move(operation), UCS_PTR_STATUS(request));
  }
}

void Ucx::on_flushed(void* request, ucs_status_t status, void* operation) {
  ucp_request_free(request);
  std::unique_ptr<Operation> flushed(static_cast<Operation*>(operation));
  Ucx& owner = flushed->owner;
  owner.finish_flush(std::move(flushed), status);
}

void Ucx::finish_flush(std::unique_ptr<Operation> operation, ucs_status_t status) {
  UcxConnection& connection = operation->connection;
  --connection.operations;
  connection.flushing = false;
  if (status != UCS_OK) return connection.fail(text_of(status));
  for (const std::uint64_t ticket : operation->tickets) events_.emplace_back(Sent{ticket});
}

ucs_status_t Ucx::on_frame(void* self, const void* header, std::size_t header_bytes, void* data,
                           std::size_t data_bytes, const ucp_am_recv_param_t* param) {
  Ucx& ucx = *static_cast<Ucx*>(self);
  if ((param->recv_attr & UCP_AM_RECV_ATTR_FIELD_REPLY_EP) == 0) return UCS_OK;
  const auto at = ucx.by_endpoint_.find(param->reply_ep);
  if (at == ucx.by_endpoint_.end() || !at->second->usable()) return UCS_OK;
  UcxConnection& connection = *at->second;
  const auto frame = ucx.admit(
      connection, std::span(static_cast<const std::byte*>(header), header_bytes), data_bytes);
  if (!frame) {
    connection.fail(frame.error().message);
    return UCS_OK;
  }
  if (frame->kind == FrameKind::kHello) {
    connection.state = State::kOpen;
    ++connection.next_to_deliver;
    return UCS_OK;
  }
  return ucx.receive(connection, *frame, data,
                     (param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) != 0);
}

Result<FrameHeader> Ucx::admit(UcxConnection& connection, std::span<const std::byte> header,
                               std::uint64_t data_bytes) const {
  SURETY_TRY(const FrameHeader frame, decode_frame(header, options_.message_bytes_max));
  if (frame.payload_bytes != data_bytes) {
    return fail(ErrorCode::kCorrupt, "frame {}: {} bytes came, {} announced", frame.sequence,
                data_bytes, frame.payload_bytes);
  }
  const bool is_hello = frame.kind == FrameKind::kHello;
  if (is_hello != (connection.state == State::kGreeting)) {
    return fail(ErrorCode::kCorrupt, "frame {}: {}", frame.sequence,
                is_hello ? "a second hello" : "no hello before it");
  }
  if (is_hello && (frame.sequence != 0 || frame.tag.round != options_.secret)) {
    return fail(ErrorCode::kCorrupt, "a hello with a wrong secret");
  }
  if (!is_hello && !connection.begin_frame(frame.sequence)) {
    return fail(ErrorCode::kCorrupt, "frame {} came twice", frame.sequence);
  }
  return frame;
}

// The size has been checked: only now is memory allocated.
ucs_status_t Ucx::receive(UcxConnection& connection, const FrameHeader& frame, void* data,
                          bool rendezvous) {
  std::unique_ptr<Operation> operation(new Operation{*this, connection});
  operation->frame = frame;
  operation->payload.resize(frame.payload_bytes);
  ++connection.operations;
  if (!rendezvous) {
    std::copy_n(static_cast<const std::byte*>(data), frame.payload_bytes,
                operation->payload.begin());
    finish_payload(std::move(operation), UCS_OK);
    return UCS_OK;
  }
  ucp_request_param_t params{};
  params.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
  params.cb.recv_am = on_payload;
  params.user_data = operation.get();
  void* const request = ucp_am_recv_data_nbx(context_->worker(), data, operation->payload.data(),
                                             operation->payload.size(), &params);
  if (UCS_PTR_IS_PTR(request)) {
    static_cast<void>(operation.release());  // on_payload() takes it back.
  } else {
    finish_payload(std::move(operation), UCS_PTR_STATUS(request));
  }
  return UCS_INPROGRESS;
}

void Ucx::on_payload(void* request, ucs_status_t status, std::size_t, void* operation) {
  ucp_request_free(request);
  std::unique_ptr<Operation> received(static_cast<Operation*>(operation));
  Ucx& owner = received->owner;
  owner.finish_payload(std::move(received), status);
}

void Ucx::finish_payload(std::unique_ptr<Operation> operation, ucs_status_t status) {
  UcxConnection& connection = operation->connection;
  --connection.operations;
  if (status != UCS_OK) return connection.fail(text_of(status));
  if (!connection.usable()) return;
  const FrameHeader& frame = operation->frame;
  if (checksum(operation->payload) != frame.payload_checksum) {
    return connection.fail(
        fmt::format("frame {}: the payload's checksum is wrong", frame.sequence));
  }
  connection.finish_frame(frame.sequence,
                          {connection.peer, frame.tag, std::move(operation->payload)}, events_);
}

}  // namespace surety::fabric
