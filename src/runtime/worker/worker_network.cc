#include "runtime/worker/worker_network.h"

#include <algorithm>

namespace surety::runtime {

WorkerNetwork::WorkerNetwork(fabric::Transport& transport)
    : rounds_(transport, self_),
      connections_(transport),
      round_(rounds_, connections_),
      channels_(rounds_, connections_) {}

// ---- events -------------------------------------------------------------------------------------

void WorkerNetwork::poll(Duration wait, const Deliver& deliver) {
  if (auto failure = round_.take_failure()) return deliver(std::move(*failure));
  if (connections_.has_lost()) wait = Duration::zero();
  const Result<bool> finished = rounds_.advance(round_.patience(wait));
  deliver_losses_and_end(finished, deliver);
  deliver_exchange(deliver);
  deliver_blobs(deliver);
}

void WorkerNetwork::deliver_losses_and_end(const Result<bool>& finished, const Deliver& deliver) {
  for (const fabric::LostPeer& peer : rounds_.take_lost()) connections_.on_lost(peer);
  std::vector<worker::WorkerLost> lost = connections_.take_lost();
  if (round_.is_active()) {
    // A broken connection does not show which worker has crashed, so the coordinator decides that.
    const WorkerId blamed = rounds_.blamed().value_or(self_);
    if (auto end = round_.take_end(finished, blamed)) deliver(std::move(*end));
  }
  for (const worker::WorkerLost& loss : lost) {
    std::erase_if(blobs_, [&](const Blob& blob) { return blob.to == loss.worker; });
  }
  for (worker::WorkerLost& loss : lost) deliver(std::move(loss));
}

void WorkerNetwork::deliver_exchange(const Deliver& deliver) {
  const std::optional<std::uint64_t> sequence = channels_.sequence();
  if (!sequence) return;
  for (auto& [tag, bytes] : rounds_.take_blobs(*sequence)) {
    deliver(worker::ExchangeMessage{*sequence, WorkerId{tag.sender}, std::move(bytes)});
  }
  if (!channels_.sequence()) return;  // A message was invalid, and the worker has left.
  for (const WorkerId to : channels_.take_sent()) deliver(worker::ExchangeSent{*sequence, to});
}

void WorkerNetwork::deliver_blobs(const Deliver& deliver) {
  std::vector<Blob> left;
  std::erase_if(blobs_, [&](const Blob& blob) {
    const bool has_left = !rounds_.sends().contains(blob.ticket);
    if (has_left) left.push_back(blob);
    return has_left;
  });
  for (const Blob& blob : left) deliver(worker::BlobSent{blob.sequence, blob.to});
  if (!channels_.sequence() && !round_.is_active()) deliver(worker::BlobArrived{});
}

// ---- connections --------------------------------------------------------------------------------

void WorkerNetwork::rejoin(WorkerId self) {
  self_ = self;
  connections_.restart();
  round_.forget();
  channels_.forget();
  blobs_.clear();
  rounds_.restart(self);
}

Result<void> WorkerNetwork::connect(WorkerId worker) {
  SURETY_TRY([[maybe_unused]] const fabric::PeerId peer, connections_.open(worker));
  return {};
}

std::optional<fabric::PortBytes> WorkerNetwork::port_bytes() { return rounds_.port_bytes(); }

// ---- rounds, blobs and exchanges ----------------------------------------------------------------

void WorkerNetwork::join_round(worker::Round round, std::vector<float> values) {
  round_.join(round, std::move(values), self_);
}

Result<void> WorkerNetwork::send_blob(WorkerId to, fabric::Tag tag, std::vector<std::byte> bytes,
                                      std::uint64_t zeros) {
  SURETY_TRY(const fabric::PeerId peer, connections_.open(to));
  bytes.resize(bytes.size() + zeros);
  SURETY_TRY(const std::uint64_t ticket, rounds_.send_blob(peer, tag, std::move(bytes)));
  blobs_.push_back({.sequence = tag.round, .to = to, .ticket = ticket});
  return {};
}

std::optional<std::vector<std::byte>> WorkerNetwork::take_blob(const fabric::Tag& tag) {
  return rounds_.take_blob(tag);
}

void WorkerNetwork::discard_blobs_before(std::uint64_t sequence) {
  rounds_.discard_blobs_before(sequence);
}

void WorkerNetwork::join_exchange(std::uint64_t sequence, const std::vector<WorkerId>& members) {
  channels_.join(sequence, members, self_);
}

void WorkerNetwork::send_in_exchange(std::uint64_t sequence, WorkerId to,
                                     fabric::Exchange::Send message) {
  static_cast<void>(sequence);
  channels_.send(to, std::move(message));
}

}  // namespace surety::runtime
