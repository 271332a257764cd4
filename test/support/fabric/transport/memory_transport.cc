#include "test/support/fabric/transport/memory_transport.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace surety::fabric {
namespace {

constexpr std::string_view kScheme = "memory:";

}  // namespace

std::unique_ptr<MemoryTransport> MemoryNetwork::make(const TransportOptions& options) {
  const std::string address = fmt::format("{}{}", kScheme, transports_made_++);
  std::unique_ptr<MemoryTransport> transport(new MemoryTransport(*this, address, options));
  transports_.emplace(address, transport.get());
  return transport;
}

void MemoryNetwork::cut(std::size_t connection, const std::string& reason) {
  const auto at = connections_.find(connection);
  SURETY_CHECK(at != connections_.end());
  for (const End& end : at->second.ends) {
    end.transport->connections_.erase(end.peer);
    end.transport->own_events_.push_back(PeerLost{end.peer, reason});
  }
  connections_.erase(at);
}

void MemoryNetwork::cut(const MemoryTransport& a, const MemoryTransport& b,
                        const std::string& reason) {
  std::vector<std::size_t> numbers;
  for (const auto& [number, connection] : connections_) {
    const auto* x = connection.ends[0].transport;
    const auto* y = connection.ends[1].transport;
    if ((x == &a && y == &b) || (x == &b && y == &a)) numbers.push_back(number);
  }
  for (const std::size_t number : numbers) cut(number, reason);
}

MemoryTransport::~MemoryTransport() {
  while (!connections_.empty())
    network_.cut(connections_.begin()->second, "the peer no longer exists");
  network_.transports_.erase(address_);
}

Result<PeerId> MemoryTransport::connect(const std::string& address) {
  if (!address.starts_with(kScheme)) {
    return fail(ErrorCode::kInvalidInput, "address '{}': expected {}NUMBER", address, kScheme);
  }
  const PeerId peer = peers_made_++;
  const auto at = network_.transports_.find(address);
  if (at == network_.transports_.end()) {
    own_events_.push_back(PeerLost{peer, fmt::format("no peer listens at {}", address)});
    return peer;
  }
  MemoryTransport& other = *at->second;
  if (other.options_.secret != options_.secret) {
    own_events_.push_back(PeerLost{peer, fmt::format("refused by {}", address)});
    return peer;
  }
  const std::size_t number = network_.connections_made_++;
  auto& connection = network_.connections_[number];
  connection.ends[0] = {.transport = this, .peer = peer, .under_way = {}};
  connections_.emplace(peer, number);
  const PeerId our_number_there = other.peers_made_++;
  connection.ends[1] = {.transport = &other, .peer = our_number_there, .under_way = {}};
  other.connections_.emplace(our_number_there, number);
  return peer;
}

Result<std::uint64_t> MemoryTransport::send(PeerId peer, const Tag& tag,
                                            std::span<const std::byte> bytes) {
  const auto at = connections_.find(peer);
  if (at == connections_.end()) return fail(ErrorCode::kUnavailable, "peer {} is lost", peer);
  auto& connection = network_.connections_.at(at->second);
  const bool we_are_first = connection.ends[0].transport == this && connection.ends[0].peer == peer;
  const std::uint64_t ticket = tickets_made_++;
  connection.ends[we_are_first ? 1 : 0].under_way.push_back({tag, bytes, ticket});
  return ticket;
}

std::vector<std::size_t> MemoryTransport::connections_with_messages() const {
  std::vector<std::size_t> numbers;
  for (const auto& [peer, number] : connections_) {
    for (const auto& end : network_.connections_.at(number).ends) {
      if (end.transport == this && end.peer == peer && !end.under_way.empty()) {
        numbers.push_back(number);
      }
    }
  }
  return numbers;
}

std::optional<TransportEvent> MemoryTransport::take_message(std::size_t connection) {
  auto& ends = network_.connections_.at(connection).ends;
  const bool we_are_first = ends[0].transport == this && !ends[0].under_way.empty();
  auto& ours = ends[we_are_first ? 0 : 1];
  auto& theirs = ends[we_are_first ? 1 : 0];
  const auto message = ours.under_way.front();
  if (message.bytes.size() > options_.message_bytes_max) {
    network_.cut(connection, fmt::format("a message has {} bytes, but at most {} are accepted",
                                         message.bytes.size(), options_.message_bytes_max));
    return std::nullopt;
  }
  if (network_.options_.cut_probability > 0 &&
      network_.random_.uniform() < network_.options_.cut_probability) {
    network_.cut(connection, "the connection was broken at random");
    return std::nullopt;
  }
  ours.under_way.pop_front();
  theirs.transport->own_events_.push_back(Sent{message.ticket});
  return Received{ours.peer, message.tag, {message.bytes.begin(), message.bytes.end()}};
}

std::vector<TransportEvent> MemoryTransport::poll(Duration) {
  std::vector<TransportEvent> events;
  const auto take_own = [&] {
    events.push_back(std::move(own_events_.front()));
    own_events_.pop_front();
  };
  const auto take_from = [&](std::size_t connection) {
    if (auto event = take_message(connection)) events.push_back(std::move(*event));
  };
  if (network_.options_.reorder) {
    const auto numbers = connections_with_messages();
    const std::size_t choices = numbers.size() + (own_events_.empty() ? 0 : 1);
    if (choices == 0) return events;
    const std::size_t choice = network_.random_.below(choices);
    if (choice < numbers.size()) {
      take_from(numbers[choice]);
    } else {
      take_own();
    }
    return events;
  }
  for (auto numbers = connections_with_messages(); !numbers.empty();
       numbers = connections_with_messages()) {
    take_from(numbers.front());
  }
  while (!own_events_.empty()) take_own();
  return events;
}

void MemoryTransport::disconnect(PeerId peer) {
  const auto at = connections_.find(peer);
  if (at != connections_.end()) network_.cut(at->second, "the peer has disconnected");
  std::erase_if(own_events_, [peer](const TransportEvent& event) {
    const auto* lost = std::get_if<PeerLost>(&event);
    return lost != nullptr && lost->peer == peer;
  });
}

}  // namespace surety::fabric
