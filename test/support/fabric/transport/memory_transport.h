// Transports without a network, for tests and simulations: one thread, repeatable to the byte.
//
// Several MemoryTransports share one MemoryNetwork. Its options and a seed determine the arrival of
// messages and the faults. Messages of one connection and direction stay in order; messages of
// different connections may arrive in any order. poll() never waits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "fabric/transport/transport.h"

namespace surety::fabric {

struct MemoryNetworkOptions {
  std::uint64_t seed = 1;
  // If true, each poll returns one event, of a randomly chosen connection. If false, it returns all
  // events, oldest connection first.
  bool reorder = false;
  // Probability that a message is lost, together with its connection.
  double cut_probability = 0;
};

class MemoryTransport;

class MemoryNetwork {
 public:
  explicit MemoryNetwork(const MemoryNetworkOptions& options = {})
      : options_(options), random_(options.seed) {}
  MemoryNetwork(const MemoryNetwork&) = delete;
  MemoryNetwork& operator=(const MemoryNetwork&) = delete;

  // Makes a transport with a new address. The network must outlive it. Destroying a transport
  // simulates the death of its process: its peers get PeerLost, and messages under way to them are
  // lost.
  [[nodiscard]] std::unique_ptr<MemoryTransport> make(const TransportOptions& options = {});

  // Cuts all connections between two transports. Both sides get PeerLost, and messages under way
  // are lost.
  void cut(const MemoryTransport& a, const MemoryTransport& b, const std::string& reason);

 private:
  friend class MemoryTransport;
  struct Message {
    Tag tag;
    std::span<const std::byte> bytes;  // Bytes of the sender; copied on arrival.
    std::uint64_t ticket = 0;
  };
  struct End {
    MemoryTransport* transport = nullptr;
    PeerId peer = 0;                // This transport's number for the connection.
    std::deque<Message> under_way;  // Messages to this end, in order.
  };
  struct Connection {
    End ends[2];
  };

  void cut(std::size_t connection, const std::string& reason);

  const MemoryNetworkOptions options_;
  Random random_;
  std::uint32_t transports_made_ = 0;
  std::map<std::string, MemoryTransport*> transports_;  // All living transports, by address.
  // All open connections, by number; cut() removes.
  std::map<std::size_t, Connection> connections_;
  std::size_t connections_made_ = 0;
};

class MemoryTransport final : public Transport {
 public:
  ~MemoryTransport() override;
  MemoryTransport(const MemoryTransport&) = delete;
  MemoryTransport& operator=(const MemoryTransport&) = delete;

  [[nodiscard]] const std::string& address() const override { return address_; }
  [[nodiscard]] Result<PeerId> connect(const std::string& address) override;
  [[nodiscard]] Result<std::uint64_t> send(PeerId peer, const Tag& tag,
                                           std::span<const std::byte> bytes) override;
  [[nodiscard]] std::vector<TransportEvent> poll(Duration wait) override;
  void disconnect(PeerId peer) override;

 private:
  friend class MemoryNetwork;
  MemoryTransport(MemoryNetwork& network, std::string address, const TransportOptions& options)
      : network_(network), address_(std::move(address)), options_(options) {}

  // Numbers of the connections that have a message for this transport.
  [[nodiscard]] std::vector<std::size_t> connections_with_messages() const;
  [[nodiscard]] std::optional<TransportEvent> take_message(std::size_t connection);

  MemoryNetwork& network_;
  const std::string address_;
  const TransportOptions options_;
  PeerId peers_made_ = 0;
  std::uint64_t tickets_made_ = 0;
  std::map<PeerId, std::size_t> connections_;  // Open connections only.
  // Sent and PeerLost events; the network adds, poll() removes.
  std::deque<TransportEvent> own_events_;
};

}  // namespace surety::fabric
