#include "fabric/exchange/exchange.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "base/check.h"
#include "fabric/exchange/frame.h"
#include "fabric/exchange/round_shape.h"
#include "fabric/ports/port_message.h"

namespace surety::fabric {
namespace {

proto::ExchangeMessage acknowledged(RoundId round) {
  proto::ExchangeMessage message;
  message.mutable_acknowledged()->set_round(round);
  return message;
}

}  // namespace

Exchange::Exchange(const ExchangeOptions& options, WorkerId self, std::vector<float> model,
                   Time now)
    : options_(options),
      self_(self),
      model_(std::move(model)),
      owners_(options),
      trip_(options),
      rounds_(options, self) {
  SURETY_CHECK(model_.size() == options_.elements && is_worker(options_, self));
  if (options_.scheduler == self_) scheduler_.emplace(options_, now);
}

// ---- for the worker that learns -----------------------------------------------------------------

Result<UpdateNumber> Exchange::push(Time now, std::vector<float> update) {
  SURETY_TRY(const UpdateNumber number, trip_.begin(std::move(update)));
  proto::ExchangeMessage message;
  message.mutable_offered()->set_update(number);
  message.mutable_offered()->set_read(trip_.pulls());
  notify_scheduler(now, message);
  carry_out(now);
  return number;
}

void Exchange::retire(Time now) {
  trip_.retire();
  proto::ExchangeMessage message;
  message.mutable_retired();
  notify_scheduler(now, message);
  carry_out(now);
}

bool Exchange::ended() const {
  return trip_.is_over() && rounds_.empty() && destinations().empty();
}

// ---- messages -----------------------------------------------------------------------------------

// Sends a message to the scheduler.
void Exchange::notify_scheduler(Time now, const proto::ExchangeMessage& message) {
  if (scheduler_) {
    // The scheduler always accepts the messages of its own worker.
    SURETY_CHECK(scheduler_->receive(now, self_, message).has_value());
    return;
  }
  outbox_.add(options_.scheduler, message);
}

// Carries out what the scheduler has decided. Its messages to our own worker may cause more
// decisions.
void Exchange::carry_out(Time now) {
  if (!scheduler_) return;
  for (auto outgoing = scheduler_->take(); !outgoing.empty(); outgoing = scheduler_->take()) {
    for (const auto& [to, message] : outgoing) {
      if (to != self_) {
        outbox_.add(to, message);
      } else if (const auto handled = on_message(now, self_, message); !handled) {
        failure_ = handled.error();  // The error is in data that had arrived before.
      }
    }
  }
}

Result<void> Exchange::receive(Time now, WorkerId from, std::span<const std::byte> bytes) {
  if (failure_) return tl::unexpected(*failure_);
  if (bytes.empty() || !is_worker(options_, from) || from == self_) {
    return fail(ErrorCode::kCorrupt,
                "exchange: found {} bytes from worker {}, expected a message from another member",
                bytes.size(), from);
  }
  SURETY_TRY(ExchangeFrame frame, decode_frame_of(from, bytes));
  if (auto* piece = std::get_if<DataPiece>(&frame)) {
    SURETY_TRY(const bool may_finish, rounds_.receive(std::move(*piece)));
    if (may_finish) SURETY_TRY(advance(now));
  } else {
    SURETY_TRY(on_message(now, from, std::get<proto::ExchangeMessage>(frame)));
  }
  carry_out(now);
  if (failure_) return tl::unexpected(*failure_);
  return {};
}

void Exchange::tick(Time now, const std::optional<PortBytes>& passed) {
  if (passed) port_.add_sample(now, *passed);
  if (const auto seen = port_.rates()) {
    const double nominal = options_.nominal.out_bytes_per_s;
    has_slow_port_ = capacity_of(seen->out, nominal).value_or(nominal) < nominal;
    proto::ExchangeMessage message;
    *message.mutable_seen() = to_proto(*seen);
    notify_scheduler(now, message);
  }
  if (scheduler_) scheduler_->tick(now);
  carry_out(now);
}

Result<void> Exchange::on_message(Time now, WorkerId from, const proto::ExchangeMessage& message) {
  const bool decides = message.has_granted() || message.has_placed() || message.has_moved() ||
                       message.has_dropped() || message.has_ended();
  if (decides ? from != options_.scheduler : !scheduler_) {
    return fail(ErrorCode::kCorrupt, "exchange: worker {} sent a message that it may not send",
                from);
  }
  switch (message.message_case()) {
    case proto::ExchangeMessage::kGranted: {
      SURETY_TRY(RoundShape shape,
                 shape_of(message.granted(), options_, owners_, rounds_.newest()));
      return begin(now, std::move(shape));
    }
    case proto::ExchangeMessage::kMoved: {
      SURETY_TRY(RoundShape shape, shape_of(message.moved(), options_, owners_, rounds_.newest()));
      return begin(now, std::move(shape));
    }
    case proto::ExchangeMessage::kPlaced:
      return owners_.add(message.placed());
    case proto::ExchangeMessage::kDropped:
      return trip_.drop(message.dropped().update(), message.dropped().blocks());
    case proto::ExchangeMessage::kEnded:
      trip_.confirm_end();
      return {};
    default:
      return scheduler_->receive(now, from, message);
  }
}

// ---- rounds -------------------------------------------------------------------------------------

Result<void> Exchange::begin(Time now, RoundShape shape) {
  if (std::ranges::binary_search(shape.members, self_)) SURETY_TRY(trip_.join(shape));
  SURETY_TRY(rounds_.begin(std::move(shape), trip_.update(), trip_.pulling()));
  return advance(now);
}

// Finishes all rounds that can finish, which may allow others to start. If one fails, a pull does
// not end, although all of its blocks may have arrived.
Result<void> Exchange::advance(Time now) {
  while (true) {
    SURETY_TRY(const auto finished, rounds_.finish_next(model_));
    if (!finished) break;
    if (finished->pulled) trip_.add_pulled(*finished->pulled);
    if (finished->acknowledge) notify_scheduler(now, acknowledged(finished->round));
  }
  trip_.end_pull();
  for (const RoundId round : rounds_.acknowledge_early()) {
    notify_scheduler(now, acknowledged(round));
  }
  return {};
}

// ---- sending ------------------------------------------------------------------------------------

std::vector<WorkerId> Exchange::destinations() const {
  std::vector<WorkerId> workers;
  outbox_.add_destinations(workers);
  rounds_.add_destinations(workers);
  std::sort(workers.begin(), workers.end());
  workers.erase(std::unique(workers.begin(), workers.end()), workers.end());
  return workers;
}

std::optional<Exchange::Send> Exchange::next_send(Time now, WorkerId to, bool control_only) {
  if (auto control = outbox_.next(to)) return Send{.bytes = *std::move(control), .data = false};
  if (control_only) return std::nullopt;
  auto data = rounds_.next_send(to);
  if (!data) return std::nullopt;
  if (data->finishes) {
    // A round may also end with its last send.
    if (const auto advanced = advance(now); !advanced) failure_ = advanced.error();
    carry_out(now);
  }
  return Send{.bytes = std::move(data->bytes), .data = true};
}

}  // namespace surety::fabric
