// Transports without a network: for tests and simulations, in one thread, repeatable to the byte.
//
// Several MemoryTransports hang on one MemoryNetwork, which decides what arrives when and what goes
// wrong, from its options and a seed. Within a pair and direction messages stay in order; between
// pairs any order may come. poll() never waits.
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
#include "fabric/transport.h"

namespace surety::fabric {

struct MemoryNetworkOptions {
  std::uint64_t seed = 1;
  // One event for each poll, of a connection chosen by chance; else all there is, oldest connection
  // first.
  bool reorder = false;
  double cut_probability = 0;  // That a message is lost, and its connection with it.
};

class MemoryTransport;

class MemoryNetwork {
 public:
  explicit MemoryNetwork(const MemoryNetworkOptions& options = {})
      : options_(options), random_(options.seed) {}
  MemoryNetwork(const MemoryNetwork&) = delete;
  MemoryNetwork& operator=(const MemoryNetwork&) = delete;

  // A new transport at an address of its own. The network must outlive it; its destruction is the
  // death of its process: its peers get PeerLost and what was under way to them is lost.
  [[nodiscard]] std::unique_ptr<MemoryTransport> make(const TransportOptions& options = {});

  // Cuts all connections between two transports: PeerLost on both sides, what was under way is
  // lost.
  void cut(const MemoryTransport& a, const MemoryTransport& b, const std::string& reason);

 private:
  friend class MemoryTransport;
  struct Message {
    Tag tag;
    std::span<const std::byte> bytes;  // The sender's own; copied on arrival.
    std::uint64_t ticket = 0;
  };
  struct End {
    MemoryTransport* transport = nullptr;
    PeerId peer = 0;                // The transport's number of this connection.
    std::deque<Message> under_way;  // Towards this end, in order.
  };
  struct Connection {
    End ends[2];
  };

  void cut(std::size_t connection, const std::string& reason);

  const MemoryNetworkOptions options_;
  Random random_;
  std::uint32_t transports_made_ = 0;
  std::map<std::string, MemoryTransport*> transports_;  // By address; those alive.
  std::map<std::size_t, Connection> connections_;       // By number; cut() removes.
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

  // The numbers of the connections that have something for us.
  [[nodiscard]] std::vector<std::size_t> with_news() const;
  [[nodiscard]] std::optional<TransportEvent> take_message(std::size_t connection);

  MemoryNetwork& network_;
  const std::string address_;
  const TransportOptions options_;
  PeerId peers_made_ = 0;
  std::uint64_t tickets_made_ = 0;
  std::map<PeerId, std::size_t> connections_;  // Those alive.
  std::deque<TransportEvent> own_events_;  // Sent and PeerLost; the network adds, poll() removes.
};

}  // namespace surety::fabric
