#include "sim/network/network.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace surety::sim {
namespace {

using Kind = Link::Kind;

// TCP's first retransmission timeout; each further loss of the same packet doubles it.
constexpr double kRetransmitS = 0.2;
constexpr int kRetransmissionsMax = 6;
// Longest time from the end of a cut until TCP tries again. The actual time is a random share of
// it.
constexpr double kHealS = 0.5;

}  // namespace

Network::Network(EventQueue& queue, NetworkOptions options, Random random, HostIndex hosts)
    : queue_(queue), options_(options), random_(random), fluid_(hosts, options.racks) {
  SURETY_CHECK(options_.racks > 0);
  for (HostIndex host = 0; host < hosts; ++host) {
    fluid_.set_capacity({Kind::kOut, host}, options_.port_bytes_per_s);
    fluid_.set_capacity({Kind::kIn, host}, options_.port_bytes_per_s);
    if (!options_.shaper) continue;
    for (const Kind direction : {Kind::kOut, Kind::kIn}) {
      fluid_.set_bucket({direction, host}, options_.shaper->burst_bytes,
                        options_.shaper->line_bytes_per_s);
    }
  }
  for (HostIndex rack = 0; rack < options_.racks; ++rack) {
    fluid_.set_capacity({Kind::kRackOut, rack}, options_.rack_bytes_per_s);
    fluid_.set_capacity({Kind::kRackIn, rack}, options_.rack_bytes_per_s);
  }
}

// ---- messages -----------------------------------------------------------------------------------

void Network::send(std::uint64_t connection, HostIndex from, HostIndex to,
                   std::function<void()> action) {
  Stream& stream = streams_[{connection, from < to}];
  stream.from = from;
  stream.to = to;
  const bool answers_lost = is_cut(to, from);
  if (answers_lost) ++stream.unacknowledged;
  if (is_cut(from, to) || !stream.held.empty() ||
      (answers_lost && stream.unacknowledged > options_.unacknowledged_max)) {
    stream.held.push_back(std::move(action));
    return;
  }
  deliver(connection, stream, std::move(action));
}

void Network::deliver(std::uint64_t connection, Stream& stream, std::function<void()> action) {
  double delay_s = options_.latency_s;
  if (conditions_.delay_s > 0) delay_s -= conditions_.delay_s * std::log(1 - random_.uniform());
  double patience_s = kRetransmitS;
  for (int i = 0; i < kRetransmissionsMax && random_.uniform() < conditions_.loss; ++i) {
    delay_s += patience_s;
    patience_s *= 2;
  }
  stream.last_arrival_s = std::max(stream.last_arrival_s, queue_.now_s() + delay_s);
  const Direction key{connection, stream.from < stream.to};
  queue_.at(stream.last_arrival_s, [this, key, action = std::move(action)] {
    if (streams_.contains(key)) action();
  });
}

void Network::close(std::uint64_t connection) {
  streams_.erase({connection, false});
  streams_.erase({connection, true});
}

void Network::release_held() {
  for (auto& [key, stream] : streams_) {
    if (is_cut(stream.from, stream.to) || is_cut(stream.to, stream.from)) continue;
    stream.unacknowledged = 0;
    if (stream.held.empty()) continue;
    stream.last_arrival_s =
        std::max(stream.last_arrival_s, queue_.now_s() + kHealS * random_.uniform());
    for (auto& action : std::exchange(stream.held, {})) {
      deliver(key.first, stream, std::move(action));
    }
  }
}

// ---- cuts ---------------------------------------------------------------------------------------

void Network::cut(HostIndex from, HostIndex to) {
  advance_transfers();
  cuts_.insert({from, to});
  for (auto& [id, transfer] : transfers_) {
    if (transfer.job && crosses_cut(transfer.bulk)) stall(id, transfer);
  }
  schedule_next_end();
}

void Network::heal(HostIndex from, HostIndex to) {
  advance_transfers();
  cuts_.erase({from, to});
  release_held();
  for (auto& [id, transfer] : transfers_) {
    if (!transfer.job && !crosses_cut(transfer.bulk)) begin(id, transfer);
  }
  schedule_next_end();
}

void Network::heal_all() {
  const auto cuts = cuts_;
  for (const auto& [from, to] : cuts) heal(from, to);
}

bool Network::crosses_cut(const Bulk& bulk) const {
  const auto has = [](const std::vector<HostIndex>& hosts, HostIndex host) {
    return std::find(hosts.begin(), hosts.end(), host) != hosts.end();
  };
  return std::any_of(cuts_.begin(), cuts_.end(), [&](const auto& cut) {
    // Acknowledgements go in the other direction.
    return (has(bulk.senders, cut.first) && has(bulk.receivers, cut.second)) ||
           (has(bulk.senders, cut.second) && has(bulk.receivers, cut.first));
  });
}

// ---- bulk ---------------------------------------------------------------------------------------

Network::BulkId Network::start(const Bulk& bulk, std::function<void(bool)> done) {
  SURETY_CHECK(!bulk.senders.empty() && !bulk.receivers.empty());
  advance_transfers();
  const BulkId id = ++last_;
  Transfer& transfer = transfers_[id];
  transfer.bulk = bulk;
  transfer.bulk.bytes = std::max(1.0, bulk.bytes);
  transfer.done = std::move(done);
  if (crosses_cut(bulk)) {
    stall(id, transfer);
  } else {
    begin(id, transfer);
  }
  schedule_next_end();
  return id;
}

void Network::stop(BulkId id) {
  const auto transfer = transfers_.find(id);
  if (transfer == transfers_.end()) return;
  advance_transfers();
  if (transfer->second.job) {
    fluid_.stop(*transfer->second.job);
    bulk_of_.erase(*transfer->second.job);
  }
  transfers_.erase(transfer);
  schedule_next_end();
}

fabric::PortBytes Network::port_bytes(HostIndex host) {
  advance_transfers();
  schedule_next_end();
  const auto carried = [&](Kind port) {
    return static_cast<std::uint64_t>(fluid_.carried({port, host}));
  };
  return {.out = carried(Kind::kOut), .in = carried(Kind::kIn)};
}

void Network::begin(BulkId id, Transfer& transfer) {
  const Bulk& bulk = transfer.bulk;
  std::map<Link, double> loads;
  const auto add = [&](Kind port, Kind rack, HostIndex host, double per_byte,
                       const std::vector<HostIndex>& others) {
    loads[{port, host}] += per_byte;
    if (options_.racks < 2) return;
    const auto outside = std::count_if(others.begin(), others.end(), [&](HostIndex other) {
      return rack_of(other) != rack_of(host);
    });
    if (outside == 0) return;
    loads[{rack, rack_of(host)}] +=
        per_byte * static_cast<double>(outside) / static_cast<double>(others.size());
  };
  for (const HostIndex host : bulk.senders) {
    add(Kind::kOut, Kind::kRackOut, host, bulk.sent_per_byte, bulk.receivers);
  }
  for (const HostIndex host : bulk.receivers) {
    add(Kind::kIn, Kind::kRackIn, host, bulk.received_per_byte, bulk.senders);
  }
  std::vector<LinkLoad> list;
  for (const auto& [what, per_byte] : loads) list.push_back({what, per_byte});
  transfer.job = fluid_.start(list, bulk.bytes);
  bulk_of_[*transfer.job] = id;
}

void Network::stall(BulkId id, Transfer& transfer) {
  if (transfer.job) {
    fluid_.stop(*transfer.job);
    bulk_of_.erase(*transfer.job);
    transfer.job.reset();
  }
  transfer.stall_number = ++stalls_;
  queue_.after(options_.silence_s, [this, id, stall_number = stalls_] {
    const auto it = transfers_.find(id);
    if (it == transfers_.end() || it->second.job || it->second.stall_number != stall_number) return;
    const auto done = std::move(it->second.done);
    transfers_.erase(it);
    done(false);
  });
}

void Network::advance_transfers() {
  double left_s = queue_.now_s() - flowed_until_s_;
  flowed_until_s_ = queue_.now_s();
  std::vector<BulkId> ended;
  while (fluid_.jobs() > 0) {
    const std::optional<double> next_s = fluid_.next_end_s();
    const double step_s = std::min(left_s, next_s.value_or(left_s));
    for (const JobId job : fluid_.advance(step_s)) {
      ended.push_back(bulk_of_.at(job));
      bulk_of_.erase(job);
    }
    left_s -= step_s;
    if (left_s <= 0) break;
  }
  for (const BulkId id : ended) {
    auto done = std::move(transfers_.at(id).done);
    transfers_.erase(id);
    queue_.after(options_.latency_s, [done = std::move(done)] { done(true); });
  }
}

void Network::schedule_next_end() {
  const std::optional<double> next_s = fluid_.next_end_s();
  const std::uint64_t schedule = ++schedule_;
  if (!next_s) return;
  queue_.after(*next_s, [this, schedule] {
    if (schedule != schedule_) return;
    advance_transfers();
    schedule_next_end();
  });
}

}  // namespace surety::sim
