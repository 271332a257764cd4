// Transports over the fluid network: a message between hosts takes the time that its bytes need on
// the ports between them. So code that runs over a real transport runs unchanged in simulated time.
//
// Any two hosts have a connection, whose messages go one after another. Connections that load the
// same port share it fairly, as TCP flows do. Headers count as bytes, and every message has a
// latency. Congestion control and loss are not modelled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bench/fabric_sim/simulation_clock.h"
#include "fabric/transport/transport.h"

namespace surety::bench::sim {

struct FluidLinkOptions {
  // One-way latency after a message's last byte, as of a bridge between network namespaces.
  double latency_s = 1e-4;
  // Bytes on a port for each byte of a message: Ethernet, IP and TCP in packets of 1,500 bytes.
  double bytes_per_byte = 1514.0 / 1448;
  // Socket buffer of one connection; a message in it counts as sent.
  double socket_bytes = 256e3;
};

class FluidTransport;

// The connections among all hosts of a simulation clock.
class FluidLinks {
 public:
  // `on_event(host)` is called when the transport of `host` has events to poll. `clock` must
  // outlive this object, and this object must outlive all uses of its transports.
  FluidLinks(SimulationClock& clock, std::uint32_t hosts, const FluidLinkOptions& options,
             std::function<void(std::uint32_t)> on_event);
  ~FluidLinks();

  [[nodiscard]] FluidTransport& at(std::uint32_t host) { return *transports_[host]; }
  // SimulationClock::run() must call it for each job that ends.
  void ended(surety::sim::JobId job);

 private:
  friend class FluidTransport;
  using Route = std::pair<std::uint32_t, std::uint32_t>;  // Pair of sender and recipient.
  struct Message {
    std::uint64_t ticket = 0;
    fabric::Tag tag{};
    // Owned by the sender until the message is in the socket.
    std::span<const std::byte> bytes{};
    std::vector<std::byte> copy{};  // The socket's copy.
    bool in_socket = false;
  };
  struct Connection {
    std::deque<std::shared_ptr<Message>> queue;  // The first message is on its way.
    double socket_bytes = 0;                     // Bytes of the messages in the socket.
    surety::sim::JobId job = 0;
  };

  void send(const Route& route, std::shared_ptr<Message> message);
  void fill_socket(const Route& route, Connection& connection);
  void start_first(const Route& route, Connection& connection);
  void deliver(std::uint32_t host, fabric::TransportEvent event);
  void forget(const Route& route);

  SimulationClock& clock_;
  const FluidLinkOptions options_;
  const std::function<void(std::uint32_t)> on_event_;
  std::vector<std::unique_ptr<FluidTransport>> transports_;
  // It contains only connections with at least one message.
  std::map<Route, Connection> connections_;
  std::map<surety::sim::JobId, Route> routes_;
};

// A peer's number is the index of its host. poll() never waits.
class FluidTransport final : public fabric::Transport {
 public:
  [[nodiscard]] const std::string& address() const override { return address_; }
  [[nodiscard]] Result<fabric::PeerId> connect(const std::string& address) override;
  [[nodiscard]] Result<std::uint64_t> send(fabric::PeerId peer, const fabric::Tag& tag,
                                           std::span<const std::byte> bytes) override;
  [[nodiscard]] std::vector<fabric::TransportEvent> poll(Duration wait) override;
  void disconnect(fabric::PeerId peer) override;
  // The counts include headers.
  [[nodiscard]] std::optional<fabric::PortBytes> port_bytes() override;

  // The events that poll() would return.
  [[nodiscard]] const std::vector<fabric::TransportEvent>& events() const { return events_; }

 private:
  friend class FluidLinks;
  FluidTransport(FluidLinks& links, std::uint32_t host);

  FluidLinks& links_;
  const std::uint32_t host_;
  const std::string address_;
  std::uint64_t tickets_ = 0;
  std::vector<fabric::TransportEvent> events_;  // The links add, poll() removes.
  std::set<fabric::PeerId> forgotten_;
};

}  // namespace surety::bench::sim
