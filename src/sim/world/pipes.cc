#include "sim/world/pipes.h"

#include "base/check.h"

namespace surety::sim {
namespace {

// A larger message is a bulk transfer: it does not fit into one or two packets.
constexpr double kSmallBytes = 2048;

// Connections of the network, besides those between the coordinator and processes.
std::uint64_t connection_of(WorkerId from, WorkerId to) {
  return (1ull << 63) | (static_cast<std::uint64_t>(from.value) << 31) | to.value;
}

}  // namespace

void Pipes::join(std::uint64_t exchange, WorkerId worker, const std::vector<WorkerId>& members) {
  std::set<WorkerId>& peers = members_[exchange][worker];
  peers.insert(members.begin(), members.end());
  peers.erase(worker);
  for (const WorkerId peer : peers) {
    const Rounds::Member member = world_.member(peer);
    if (!member.is_gone) continue;
    const NetworkOptions& network = network_.options();
    break_later(exchange, worker, peer, member.is_silent ? network.silence_s : network.latency_s);
  }
}

void Pipes::leave(std::uint64_t exchange, WorkerId worker) {
  const auto members = members_.find(exchange);
  if (members == members_.end()) return;
  members->second.erase(worker);
  if (members->second.empty()) members_.erase(members);
  for (auto pipe = pipes_.lower_bound({exchange, worker, {}});
       pipe != pipes_.end() && pipe->first.exchange == exchange && pipe->first.from == worker;) {
    if (pipe->second.bulk) network_.stop(*pipe->second.bulk);
    pipe = pipes_.erase(pipe);
  }
}

void Pipes::send(std::uint64_t exchange, WorkerId from, WorkerId to, Parcel parcel) {
  SURETY_CHECK(members_.contains(exchange) && members_.at(exchange).contains(from));
  const Key key{exchange, from, to};
  pipes_[key].waiting.push_back(std::move(parcel));
  pump(key);
}

void Pipes::pump(const Key& key) {
  Pipe& pipe = pipes_.at(key);
  const HostIndex from = world_.member(key.from).host;
  const HostIndex to = world_.member(key.to).host;
  while (!pipe.bulk && !pipe.waiting.empty()) {
    const bool is_cut = network_.is_cut(from, to) || network_.is_cut(to, from);
    const double bytes = pipe.waiting.front().wire_bytes;
    if (from != to && (bytes > kSmallBytes || is_cut)) {
      pipe.bulk = network_.start({.senders = {from}, .receivers = {to}, .bytes = bytes},
                                 [this, key](bool arrived) { on_bulk_done(key, arrived); });
      return;
    }
    deliver(key, std::move(pipe.waiting.front().bytes));
    pipe.waiting.pop_front();
    queue_.after(0, [this, key] { world_.left(key.from, key.exchange, key.to); });
  }
}

void Pipes::on_bulk_done(const Key& key, bool arrived) {
  const auto pipe = pipes_.find(key);
  if (pipe == pipes_.end() || !pipe->second.bulk) return;
  pipe->second.bulk.reset();
  // A machine that has vanished acknowledges nothing, so the connection breaks after the silence.
  if (!arrived) return world_.broken(key.from, key.exchange, key.to);
  deliver(key, std::move(pipe->second.waiting.front().bytes));
  pipe->second.waiting.pop_front();
  pump(key);
  world_.left(key.from, key.exchange, key.to);
}

// Uses the pair's own stream, so messages stay in order under all network conditions.
void Pipes::deliver(const Key& key, std::vector<std::byte> bytes) {
  network_.send(connection_of(key.from, key.to), world_.member(key.from).host,
                world_.member(key.to).host, [this, key, bytes = std::move(bytes)]() mutable {
                  if (world_.member(key.to).is_gone) return;
                  world_.received(key.to, key.exchange, key.from, std::move(bytes));
                });
}

void Pipes::break_later(std::uint64_t exchange, WorkerId worker, WorkerId peer, double after_s) {
  queue_.after(after_s, [this, exchange, worker, peer] {
    const auto members = members_.find(exchange);
    if (members == members_.end() || !members->second.contains(worker)) return;
    world_.broken(worker, exchange, peer);
  });
}

void Pipes::on_gone(WorkerId worker) {
  const NetworkOptions& network = network_.options();
  const double after_s = world_.member(worker).is_silent ? network.silence_s : network.latency_s;
  std::vector<std::uint64_t> left;
  for (const auto& [exchange, members] : members_) {
    if (members.contains(worker)) left.push_back(exchange);
    for (const auto& [other, peers] : members) {
      if (other != worker && peers.contains(worker)) break_later(exchange, other, worker, after_s);
    }
  }
  for (const std::uint64_t exchange : left) leave(exchange, worker);
}

void Pipes::break_link(WorkerId a, WorkerId b) {
  for (const auto& [exchange, members] : members_) {
    for (const auto& [worker, peer] : {std::pair(a, b), std::pair(b, a)}) {
      const auto of = members.find(worker);
      if (of == members.end() || !of->second.contains(peer)) continue;
      break_later(exchange, worker, peer, network_.options().latency_s);
    }
  }
}

}  // namespace surety::sim
