#include "fabric/allreduce/round.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace surety::fabric {
namespace {

// Blobs and rounds are numbered independently: on the wire a blob has this bit of tag.round set.
constexpr std::uint64_t kBlobBit = 1ull << 63;
constexpr std::size_t kRefusalsMax = 16;

}  // namespace

Result<void> Rounds::begin(std::uint64_t round, std::shared_ptr<RoundExecutor> executor,
                           std::map<WorkerId, PeerId> peers) {
  SURETY_CHECK(executor != nullptr);
  abandon();
  if (round >= kBlobBit || (began_any_ && round <= round_)) {
    return fail(ErrorCode::kInvalidInput, "found round {}, expected one after {}", round, round_);
  }
  round_ = round;
  began_any_ = true;
  peers_ = std::move(peers);
  drop_early_until(round);
  for (const WorkerId member : executor->members()) {
    if (member == self_) continue;
    const auto at = peers_.find(member);
    if (at == peers_.end()) {
      return fail(ErrorCode::kInvalidInput, "round {}: no connection to worker {}", round, member);
    }
    if (const auto lost = lost_peers_.find(at->second); lost != lost_peers_.end()) {
      return fail(ErrorCode::kUnavailable, "round {}: worker {}: {}", round, member, lost->second);
    }
  }
  auto started = start(std::move(executor));
  if (!started) abandon();
  return started;
}

Result<void> Rounds::start(std::shared_ptr<RoundExecutor> executor) {
  executor_ = std::move(executor);
  std::vector<Received> early;
  if (auto kept = early_.extract(round_)) early = std::move(kept.mapped());
  for (const Received& message : early) early_bytes_ -= message.bytes.size();
  SURETY_TRY(send_ready());
  for (const Received& message : early) SURETY_TRY(deliver_to_executor(message));
  return {};
}

Result<bool> Rounds::advance(Duration wait) {
  std::optional<Error> failure;
  const auto note = [&](Result<void> done) {
    if (done) return;
    abandon();
    if (!failure) failure = std::move(done).error();
  };
  // A round in which nothing is missing, for example one of one member, need not wait.
  const bool done_already = active() && done();
  auto events = transport_.poll(done_already ? Duration::zero() : wait);
  for (auto& event : events) note(handle(std::move(event)));
  if (failure) return tl::unexpected(*std::move(failure));
  if (!done()) return false;
  abandon();
  return true;
}

// A round is done when this worker has all messages and all its own messages have left. The second
// condition is needed because data moves only while the transport is polled, and after a round the
// caller computes for a long time.
bool Rounds::done() const {
  return executor_ == nullptr || (executor_->finished() && round_sends_ == 0);
}

void Rounds::restart(WorkerId self) {
  executor_.reset();
  // The transport may read the bytes until the connection is gone.
  for (const auto& [ticket, flight] : in_flight_) transport_.disconnect(flight.peer);
  in_flight_.clear();
  self_ = self;
  peers_.clear();
  round_sends_ = 0;
  senders_.clear();
  if (began_any_) {
    drop_early_until(round_ + 1);
    discard_blobs_before(round_ + 1);
  }
  lost_.clear();
  refusals_.clear();
}

void Rounds::abandon() {
  executor_.reset();
  for (auto& [ticket, flight] : in_flight_) flight.of_round = false;
  round_sends_ = 0;
}

Result<void> Rounds::send_ready() {
  for (const RoundExecutor::Send& send : executor_->next_sends()) {
    const PeerId peer = peers_.at(send.to);
    const Tag tag{.round = round_, .sender = self_.value, .step = send.step};
    const auto ticket = transport_.send(peer, tag, send.bytes);
    if (!ticket) return fail_in(ticket.error(), "round {}: worker {}", round_, send.to);
    in_flight_.emplace(*ticket, InFlight{peer, true, executor_});
    ++round_sends_;
  }
  return {};
}

Result<void> Rounds::handle(TransportEvent event) {
  if (auto* received = std::get_if<Received>(&event)) return on_received(std::move(*received));
  if (const auto* lost = std::get_if<PeerLost>(&event)) return on_lost(*lost);
  const auto at = in_flight_.find(std::get<Sent>(event).ticket);
  if (at == in_flight_.end()) return {};
  if (at->second.of_round) --round_sends_;
  in_flight_.erase(at);
  return {};
}

Result<void> Rounds::on_received(Received message) {
  const WorkerId sender{message.tag.sender};
  const auto [known, is_new] = senders_.try_emplace(message.peer, sender);
  if (known->second != sender) {
    return cut_off(message.peer,
                   fmt::format("worker {} sent in the name of worker {}", known->second, sender));
  }
  if ((message.tag.round & kBlobBit) != 0) return keep_early(std::move(message));
  if (executor_ != nullptr && message.tag.round == round_) return deliver_to_executor(message);
  if (!began_any_ || message.tag.round > round_) return keep_early(std::move(message));
  return {};  // The message is of a round that we have left.
}

Result<void> Rounds::deliver_to_executor(const Received& message) {
  const auto taken =
      executor_->receive(WorkerId{message.tag.sender}, message.tag.step, message.bytes);
  if (taken) return send_ready();
  if (taken.error().code != ErrorCode::kInvalidInput) {
    return fail_in(taken.error(), "round {}", round_);
  }
  refuse(fmt::format("round {}: {}", round_, taken.error().message));
  return {};
}

Result<void> Rounds::keep_early(Received message) {
  const std::uint64_t bytes = message.bytes.size();
  if (bytes > options_.early_bytes_max - early_bytes_) {
    return cut_off(message.peer,
                   fmt::format("{} bytes arrived before their round, but at most {} are kept",
                               early_bytes_ + bytes, options_.early_bytes_max));
  }
  if ((message.tag.round & kBlobBit) == 0) {
    early_bytes_ += bytes;
    early_[message.tag.round].push_back(std::move(message));
    return {};
  }
  message.tag.round &= ~kBlobBit;
  if (blobs_.try_emplace(message.tag, std::move(message.bytes)).second) {
    early_bytes_ += bytes;
  } else {
    refuse(fmt::format("blob {}, step {} of worker {}: arrived twice", message.tag.round,
                       message.tag.step, message.tag.sender));
  }
  return {};
}

Result<void> Rounds::cut_off(PeerId peer, const std::string& reason) {
  transport_.disconnect(peer);
  return on_lost({peer, reason});
}

Result<void> Rounds::on_lost(const PeerLost& lost) {
  if (!lost_peers_.emplace(lost.peer, lost.reason).second) return {};
  const auto worker = worker_of(lost.peer);
  forget_sends_to(lost.peer);
  lost_.push_back({lost.peer, worker, lost.reason});
  senders_.erase(lost.peer);
  // A member that is lost after our round is complete was not needed any more.
  if (executor_ == nullptr || executor_->finished() || !worker) return {};
  const auto& members = executor_->members();
  if (!std::binary_search(members.begin(), members.end(), *worker)) return {};
  return fail(ErrorCode::kUnavailable, "round {}: worker {}: {}", round_, *worker, lost.reason);
}

std::optional<WorkerId> Rounds::worker_of(PeerId peer) const {
  for (const auto& [worker, connection] : peers_) {
    if (connection == peer) return worker;
  }
  const auto at = senders_.find(peer);
  if (at == senders_.end()) return std::nullopt;
  return at->second;
}

void Rounds::forget_sends_to(PeerId peer) {
  std::erase_if(in_flight_, [&](const auto& entry) {
    if (entry.second.peer != peer) return false;
    if (entry.second.of_round) --round_sends_;
    return true;
  });
}

void Rounds::drop_early_until(std::uint64_t round) {
  while (!early_.empty() && early_.begin()->first < round) {
    for (const Received& message : early_.begin()->second) early_bytes_ -= message.bytes.size();
    early_.erase(early_.begin());
  }
}

void Rounds::refuse(std::string reason) {
  if (refusals_.size() < kRefusalsMax) refusals_.push_back(std::move(reason));
}

Result<void> Rounds::send_blob(PeerId peer, Tag tag, std::vector<std::byte> bytes) {
  SURETY_CHECK(tag.round < kBlobBit);
  tag.round |= kBlobBit;
  tag.sender = self_.value;
  const auto kept = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  SURETY_TRY(const std::uint64_t ticket, transport_.send(peer, tag, *kept));
  in_flight_.emplace(ticket, InFlight{peer, false, kept});
  return {};
}

std::optional<std::vector<std::byte>> Rounds::take_blob(const Tag& tag) {
  auto taken = blobs_.extract(tag);
  if (taken.empty()) return std::nullopt;
  early_bytes_ -= taken.mapped().size();
  return std::move(taken.mapped());
}

std::vector<std::pair<Tag, std::vector<std::byte>>> Rounds::take_blobs(std::uint64_t round) {
  std::vector<std::pair<Tag, std::vector<std::byte>>> taken;
  auto at = blobs_.lower_bound(Tag{.round = round});
  while (at != blobs_.end() && at->first.round == round) {
    early_bytes_ -= at->second.size();
    taken.emplace_back(at->first, std::move(at->second));
    at = blobs_.erase(at);
  }
  return taken;
}

void Rounds::discard_blobs_before(std::uint64_t round) {
  while (!blobs_.empty() && blobs_.begin()->first.round < round) {
    early_bytes_ -= blobs_.begin()->second.size();
    blobs_.erase(blobs_.begin());
  }
}

std::size_t Rounds::sends_in_flight(PeerId peer) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      in_flight_, [&](const auto& entry) { return entry.second.peer == peer; }));
}

std::vector<WorkerId> Rounds::waiting_for() const {
  return executor_ == nullptr ? std::vector<WorkerId>{} : executor_->waiting_for();
}

std::vector<LostPeer> Rounds::take_lost() { return std::exchange(lost_, {}); }
std::vector<std::string> Rounds::take_refusals() { return std::exchange(refusals_, {}); }

}  // namespace surety::fabric
