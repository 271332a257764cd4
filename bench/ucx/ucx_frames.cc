#include "bench/ucx/ucx_frames.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>

#include "base/check.h"
#include "base/checksum.h"

namespace surety::fabric {

using State = UcxConnection::State;

namespace {

// Id of all our frames; their header distinguishes them.
constexpr unsigned kAmId = 0;

}  // namespace

void UcxFrames::start_receiving() {
  ucp_am_handler_param_t handler{};
  handler.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_FLAGS |
                       UCP_AM_HANDLER_PARAM_FIELD_CB | UCP_AM_HANDLER_PARAM_FIELD_ARG;
  handler.id = kAmId;
  handler.flags = UCP_AM_FLAG_WHOLE_MSG;
  handler.cb = on_frame;
  handler.arg = this;
  SURETY_CHECK(ucp_worker_set_am_recv_handler(context_.worker(), &handler) == UCS_OK);
}

std::uint64_t UcxFrames::send(UcxConnection& connection, const Tag& tag,
                              std::span<const std::byte> bytes) {
  const OutgoingMessage message{tag, bytes, tickets_made_++};
  if (connection.state == State::kOpen) {
    send_message(connection, message);
  } else {
    connection.before_greeting.push_back(message);
  }
  return message.ticket;
}

void UcxFrames::send_message(UcxConnection& connection, const OutgoingMessage& message) {
  send_frame(connection,
             {.tag = message.tag,
              .payload_bytes = message.bytes.size(),
              .payload_checksum = checksum(message.bytes)},
             message.bytes, message.ticket);
}

void UcxFrames::send_hello(UcxConnection& connection) {
  send_frame(connection, {.kind = FrameKind::kHello, .tag = {.round = options_.secret}}, {},
             std::nullopt);
}

void UcxFrames::send_frame(UcxConnection& connection, FrameHeader frame,
                           std::span<const std::byte> payload,
                           std::optional<std::uint64_t> ticket) {
  frame.sequence = connection.next_to_send++;
  std::unique_ptr<Operation> operation(new Operation{*this, connection});
  operation->ticket = ticket;
  operation->header = encode_frame(frame);
  ucp_request_param_t params{};
  params.op_attr_mask =
      UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_FLAGS;
  // With this number, the recipient can identify the connection.
  params.flags = UCP_AM_SEND_FLAG_REPLY;
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

void UcxFrames::on_sent(void* request, ucs_status_t status, void* operation) {
  ucp_request_free(request);
  std::unique_ptr<Operation> sent(static_cast<Operation*>(operation));
  UcxFrames& owner = sent->owner;
  owner.finish_send(std::move(sent), status);
}

// UCX has copied or written everything, so the buffer belongs to the caller again. (Flushing the
// endpoint before the report would be a stronger guarantee. But it waits for acknowledgements, and
// a peer that has received everything may already have ended.)
void UcxFrames::finish_send(std::unique_ptr<Operation> operation, ucs_status_t status) {
  UcxConnection& connection = operation->connection;
  --connection.operations;
  if (status != UCS_OK) {
    connection.fail(text_of(status));
  } else if (operation->ticket) {
    events_.emplace_back(Sent{*operation->ticket});
  }
}

ucs_status_t UcxFrames::on_frame(void* self, const void* header, std::size_t header_bytes,
                                 void* data, std::size_t data_bytes,
                                 const ucp_am_recv_param_t* param) {
  UcxFrames& frames = *static_cast<UcxFrames*>(self);
  if ((param->recv_attr & UCP_AM_RECV_ATTR_FIELD_REPLY_EP) == 0) return UCS_OK;
  UcxConnection* const sender = frames.connections_.of_endpoint(param->reply_ep);
  if (sender == nullptr || !sender->usable()) return UCS_OK;
  UcxConnection& connection = *sender;
  const auto frame = frames.admit(
      connection, std::span(static_cast<const std::byte*>(header), header_bytes), data_bytes);
  if (!frame) {
    connection.fail(frame.error().message);
    return UCS_OK;
  }
  if (frame->kind == FrameKind::kHello) {
    frames.on_hello(connection);
    return UCS_OK;
  }
  return frames.receive(connection, *frame, data,
                        (param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) != 0);
}

// The side that was called answers with a hello of its own. Only then does the caller send
// messages, because frames that wait for a connection to be made may overtake one another.
void UcxFrames::on_hello(UcxConnection& connection) {
  connection.state = State::kOpen;
  connection.finish_hello(events_);
  if (connection.called_us) {
    connection.reported = true;
    send_hello(connection);
  }
  for (const OutgoingMessage& message : std::exchange(connection.before_greeting, {})) {
    send_message(connection, message);
  }
}

Result<FrameHeader> UcxFrames::admit(UcxConnection& connection, std::span<const std::byte> header,
                                     std::uint64_t data_bytes) const {
  SURETY_TRY(const FrameHeader frame, decode_frame(header, options_.message_bytes_max));
  if (frame.payload_bytes != data_bytes) {
    return fail(ErrorCode::kCorrupt, "frame {}: found {} bytes, expected {} as announced",
                frame.sequence, data_bytes, frame.payload_bytes);
  }
  if (frame.kind == FrameKind::kHello) {
    if (connection.state != State::kGreeting)
      return fail(ErrorCode::kCorrupt, "received a second Hello");
    if (frame.sequence == 0 && frame.tag.round == options_.secret) return frame;
    return fail(ErrorCode::kCorrupt, "received a Hello with a wrong secret");
  }
  // Bytes of a peer that has not sent the secret are not stored, unless this side started the
  // connection. Then they wait for the hello, which has number 0.
  if (connection.state == State::kGreeting && connection.called_us) {
    return fail(ErrorCode::kCorrupt, "frame {}: arrived before a Hello", frame.sequence);
  }
  if (frame.sequence == 0 || !connection.begin_frame(frame.sequence)) {
    return fail(ErrorCode::kCorrupt, "frame {} arrived twice", frame.sequence);
  }
  return frame;
}

// Memory is allocated only here, after the size has been checked.
ucs_status_t UcxFrames::receive(UcxConnection& connection, const FrameHeader& frame, void* data,
                                bool rendezvous) {
  std::unique_ptr<Operation> operation(new Operation{*this, connection});
  operation->frame = frame;
  try {
    operation->payload.resize(frame.payload_bytes);
  } catch (const std::bad_alloc&) {  // UCX, which called us, cannot handle exceptions.
    connection.fail(fmt::format("no memory for a message of {} bytes", frame.payload_bytes));
    return UCS_OK;
  }
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
  void* const request = ucp_am_recv_data_nbx(context_.worker(), data, operation->payload.data(),
                                             operation->payload.size(), &params);
  if (UCS_PTR_IS_PTR(request)) {
    static_cast<void>(operation.release());  // on_payload() takes it back.
  } else {
    finish_payload(std::move(operation), UCS_PTR_STATUS(request));
  }
  return UCS_INPROGRESS;
}

void UcxFrames::on_payload(void* request, ucs_status_t status, std::size_t, void* operation) {
  ucp_request_free(request);
  std::unique_ptr<Operation> received(static_cast<Operation*>(operation));
  UcxFrames& owner = received->owner;
  owner.finish_payload(std::move(received), status);
}

void UcxFrames::finish_payload(std::unique_ptr<Operation> operation, ucs_status_t status) {
  UcxConnection& connection = operation->connection;
  --connection.operations;
  if (status != UCS_OK) return connection.fail(text_of(status));
  if (!connection.usable()) return;
  const FrameHeader& frame = operation->frame;
  if (checksum(operation->payload) != frame.payload_checksum) {
    return connection.fail(
        fmt::format("frame {}: the checksum of its payload is wrong", frame.sequence));
  }
  connection.finish_frame(frame.sequence,
                          {connection.peer, frame.tag, std::move(operation->payload)}, events_);
}

}  // namespace surety::fabric
