#include "fabric/allreduce/round.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "base/check.h"
#include "base/overloaded.h"

namespace surety::fabric {
namespace {

// Blobs and rounds are numbered independently: on the wire a blob has this bit of tag.round set.
constexpr std::uint64_t kBlobBit = 1ull << 63;

// The error that this member caused. Only the first error of a round is reported.
tl::unexpected<Error> fail_for(WorkerId member, std::uint64_t round, const Error& error,
                               std::optional<WorkerId>& blamed) {
  if (!blamed) blamed = member;
  return fail_in(error, "round {}: worker {}", round, member);
}

// The answer arrived after all messages that it counts.
Result<void> check_answer(const RoundExecutor& executor, WorkerId from, const SentInRound& sent) {
  if (!std::ranges::binary_search(executor.waiting_for(), from)) return {};
  const std::uint32_t received = executor.received_from(from);
  if (sent.messages > received) {
    return fail(ErrorCode::kUnavailable, "worker {} has sent {} messages, but {} have arrived",
                from, sent.messages, received);
  }
  if (sent.is_over) return fail(ErrorCode::kUnavailable, "worker {} has left the round", from);
  return {};
}

}  // namespace

Result<void> Rounds::begin(std::uint64_t round, std::shared_ptr<RoundExecutor> executor,
                           std::map<WorkerId, PeerId> peers) {
  SURETY_CHECK(executor != nullptr);
  abandon();
  blamed_.reset();
  if (round >= kInquiryBit) {
    return fail(ErrorCode::kInvalidInput, "found round {}, expected a number below {}", round,
                kInquiryBit);
  }
  if (last_round_ && round <= *last_round_) {
    return fail(ErrorCode::kInvalidInput, "found round {}, expected one after {}", round,
                *last_round_);
  }
  last_round_ = round;
  sent_.clear();
  peers_.set_members(std::move(peers));
  mailbox_.drop_rounds_before(round);
  for (const WorkerId member : executor->members()) {
    if (member == self_) continue;
    const auto peer = peers_.peer_of(member);
    if (!peer) {
      return fail(ErrorCode::kInvalidInput, "round {}: no connection to worker {}", round, member);
    }
    if (const std::string* reason = peers_.loss_of(*peer)) {
      return fail_for(member, round, {ErrorCode::kUnavailable, *reason}, blamed_);
    }
  }
  executor_ = std::move(executor);
  auto started = feed(mailbox_.take_round(round));
  if (!started) abandon();
  return started;
}

Result<bool> Rounds::advance(Duration wait) {
  std::optional<Error> failure;
  const auto note = [&](Result<void> handled) {
    if (handled) return;
    abandon();
    if (!failure) failure = std::move(handled).error();
  };
  // A round is done when this worker has all messages and all its own messages have left. The
  // second condition is needed because data moves only while the transport is polled, and after a
  // round the caller computes for a long time.
  const auto done = [&] { return executor_->finished() && sends_.of_round() == 0; };
  // A round in which no message is missing, for example a round of one member, need not wait.
  auto events = transport_.poll(active() && done() ? Duration::zero() : wait);
  for (TransportEvent& event : events) {
    std::visit(Overloaded{[&](Received& received) { note(on_received(std::move(received))); },
                          [&](const PeerLost& lost) { note(on_lost(lost)); },
                          [&](const Sent& sent) { sends_.on_sent(sent.ticket); }},
               event);
  }
  if (failure) return tl::unexpected(*std::move(failure));
  if (active() && !done()) return false;
  abandon();
  return true;
}

void Rounds::restart(WorkerId self) {
  executor_.reset();
  // The transport may read the bytes until the connection is closed.
  for (const PeerId peer : sends_.peers()) transport_.disconnect(peer);
  sends_ = {};
  self_ = self;
  peers_.reset();
  if (last_round_) {
    mailbox_.drop_rounds_before(*last_round_ + 1);
    mailbox_.drop_blobs_before(*last_round_ + 1);
  }
}

void Rounds::begin_run() {
  abandon();
  sent_.clear();
  last_round_.reset();
  mailbox_.drop_rounds_before(kBlobBit);
  mailbox_.drop_blobs_before(kBlobBit);
}

void Rounds::abandon() {
  executor_.reset();
  sends_.leave_round();
}

// Passes messages to the current round one after another, and sends the messages that each makes
// possible. The first sends of a round need no message.
Result<void> Rounds::feed(std::span<const Received> messages) {
  const std::uint64_t round = last_round_.value();
  const auto send_ready = [&]() -> Result<void> {
    for (const RoundExecutor::Send& send : executor_->next_sends()) {
      const PeerId peer = peers_.peer_of(send.to).value();
      const Tag tag{.round = round, .sender = self_.value, .step = send.step};
      const auto ticket = transport_.send(peer, tag, send.bytes);
      if (!ticket) return fail_for(send.to, round, ticket.error(), blamed_);
      sends_.add(*ticket, peer, executor_, true);
      ++sent_[send.to];
    }
    return {};
  };
  SURETY_TRY(send_ready());
  for (const Received& message : messages) {
    const WorkerId sender{message.tag.sender};
    const auto taken = executor_->receive(sender, message.tag.step, message.bytes);
    if (taken) {
      SURETY_TRY(send_ready());
    } else if (taken.error().code != ErrorCode::kInvalidInput) {
      return fail_for(sender, round, taken.error(), blamed_);
    }
  }
  return {};
}

Result<void> Rounds::on_received(Received message) {
  const PeerId peer = message.peer;
  const auto cut_off = [&](const std::string& reason) {
    transport_.disconnect(peer);
    return on_lost({peer, reason});
  };
  const WorkerId sender{message.tag.sender};
  if (const WorkerId known = peers_.name_sender(peer, sender); known != sender) {
    return cut_off(fmt::format("worker {} sent in the name of worker {}", known, sender));
  }
  const bool is_blob = (message.tag.round & kBlobBit) != 0;
  if (!is_blob && (message.tag.round & kInquiryBit) != 0) return on_inquiry(message);
  if (!is_blob && active() && message.tag.round == last_round_) return feed({&message, 1});
  // The message belongs to a round that we have left.
  if (!is_blob && message.tag.round <= last_round_) return {};
  const std::uint64_t bytes = message.bytes.size();
  if (!mailbox_.has_room_for(bytes)) {
    return cut_off(fmt::format("{} bytes arrived before their round, but at most {} are kept",
                               mailbox_.bytes() + bytes, mailbox_.bytes_max()));
  }
  if (!is_blob) {
    mailbox_.add(std::move(message));
    return {};
  }
  message.tag.round &= ~kBlobBit;
  // A duplicate changes nothing.
  static_cast<void>(mailbox_.add_blob(message.tag, std::move(message.bytes)));
  return {};
}

// advance() reports a lost connection.
std::vector<WorkerId> Rounds::ask() {
  if (!active()) return {};
  const std::vector<WorkerId> missing = executor_->waiting_for();
  for (const WorkerId member : missing) {
    const Tag question = inquiry_tag(last_round_.value(), self_.value, InquiryStep::kQuestion);
    static_cast<void>(send_aside(peers_.peer_of(member).value(), question, {}));
  }
  return missing;
}

Result<void> Rounds::on_inquiry(const Received& message) {
  const WorkerId from{message.tag.sender};
  const std::uint64_t round = message.tag.round & ~kInquiryBit;
  const bool is_current = round == last_round_;
  if (message.tag.step == static_cast<std::uint32_t>(InquiryStep::kAnswer)) {
    const std::optional<SentInRound> sent = sent_from_bytes(message.bytes);
    if (!sent || !is_current || !active()) return {};
    const Result<void> checked = check_answer(*executor_, from, *sent);
    return checked ? checked : fail_in(checked.error(), "round {}", round);
  }
  if (message.tag.step != static_cast<std::uint32_t>(InquiryStep::kQuestion)) return {};
  SentInRound sent{.is_over = round < last_round_ || (is_current && !active())};
  if (const auto found = sent_.find(from); is_current && found != sent_.end()) {
    sent.messages = found->second;
  }
  // The answer follows the messages on the same connection. A lost connection is reported later.
  const PeerId peer = is_current ? peers_.peer_of(from).value_or(message.peer) : message.peer;
  const Tag answer = inquiry_tag(round, self_.value, InquiryStep::kAnswer);
  static_cast<void>(send_aside(peer, answer, to_bytes(sent)));
  return {};
}

Result<std::uint64_t> Rounds::send_aside(PeerId peer, const Tag& tag,
                                         std::vector<std::byte> bytes) {
  const auto kept = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  SURETY_TRY(const std::uint64_t ticket, transport_.send(peer, tag, *kept));
  sends_.add(ticket, peer, kept, false);
  return ticket;
}

Result<void> Rounds::on_lost(const PeerLost& lost) {
  const auto loss = peers_.lose(lost);
  if (!loss) return {};
  sends_.forget(lost.peer);
  // A member that is lost after the completion of our round was not needed any more.
  if (executor_ == nullptr || executor_->finished() || !loss->worker) return {};
  if (!std::ranges::binary_search(executor_->members(), *loss->worker)) return {};
  return fail_for(*loss->worker, last_round_.value(), {ErrorCode::kUnavailable, lost.reason},
                  blamed_);
}

Result<std::uint64_t> Rounds::send_blob(PeerId peer, Tag tag, std::vector<std::byte> bytes) {
  SURETY_CHECK(tag.round < kInquiryBit);
  tag.round |= kBlobBit;
  tag.sender = self_.value;
  return send_aside(peer, tag, std::move(bytes));
}

}  // namespace surety::fabric
