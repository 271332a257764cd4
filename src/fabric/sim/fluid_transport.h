// Transports over the fluid network: what hosts say to each other takes the time that its bytes
// take on the ports between them. So what runs over a real transport runs in simulated time too,
// unchanged.
//
// Any two hosts have a connection, whose messages go one after another; connections that load the
// same port share it fairly, as flows of TCP do. Headers are paid for, and every message takes a
// latency. Not modelled: congestion control and loss.
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

#include "fabric/sim/clockwork.h"
#include "fabric/transport.h"

namespace surety::fabric::sim {

struct FluidLinkOptions {
  double latency_s = 1e-4;  // One way, of a message's last byte: a bridge between namespaces.
  // Bytes on a port for each byte of a message: Ethernet, IP and TCP in packets of 1,500 bytes.
  double bytes_per_byte = 1514.0 / 1448;
  double socket_bytes = 256e3;  // Of one connection: a message in it has been sent.
};

class FluidTransport;

// The connections among all hosts of a clockwork.
class FluidLinks {
 public:
  // `something(host)`: its transport has events to poll. `clockwork` must outlive this, and this
  // all transports.
  FluidLinks(Clockwork& clockwork, std::uint32_t hosts, const FluidLinkOptions& options,
             std::function<void(std::uint32_t)> something);
  ~FluidLinks();

  [[nodiscard]] FluidTransport& at(std::uint32_t host) { return *transports_[host]; }
  // Of Clockwork::run().
  void ended(JobId job);

 private:
  friend class FluidTransport;
  using Way = std::pair<std::uint32_t, std::uint32_t>;  // From, to.
  struct Message {
    std::uint64_t ticket = 0;
    Tag tag{};
    std::span<const std::byte> bytes{};  // The sender's own until it is in the socket,
    std::vector<std::byte> copy{};       // which has its own.
    bool in_socket = false;
  };
  struct Connection {
    std::deque<std::shared_ptr<Message>> queue;  // The first one is on its way.
    double socket_bytes = 0;                     // Of messages in it.
    JobId job = 0;
  };

  void send(const Way& way, std::shared_ptr<Message> message);
  void fill_socket(const Way& way, Connection& connection);
  void start_first(const Way& way, Connection& connection);
  void tell(std::uint32_t host, TransportEvent event);
  void forget(const Way& way);

  Clockwork& clockwork_;
  const FluidLinkOptions options_;
  const std::function<void(std::uint32_t)> something_;
  std::vector<std::unique_ptr<FluidTransport>> transports_;
  std::map<Way, Connection> connections_;  // Each with a message at least.
  std::map<JobId, Way> ways_;
};

// A peer's number is its host's index. poll() never waits.
class FluidTransport final : public Transport {
 public:
  [[nodiscard]] const std::string& address() const override { return address_; }
  [[nodiscard]] Result<PeerId> connect(const std::string& address) override;
  [[nodiscard]] Result<std::uint64_t> send(PeerId peer, const Tag& tag,
                                           std::span<const std::byte> bytes) override;
  [[nodiscard]] std::vector<TransportEvent> poll(Duration wait) override;
  void disconnect(PeerId peer) override;
  // With headers.
  [[nodiscard]] std::optional<PortBytes> port_bytes() override;

  // What poll() would give.
  [[nodiscard]] const std::vector<TransportEvent>& events() const { return events_; }

 private:
  friend class FluidLinks;
  FluidTransport(FluidLinks& links, std::uint32_t host);

  FluidLinks& links_;
  const std::uint32_t host_;
  const std::string address_;
  std::uint64_t tickets_ = 0;
  std::vector<TransportEvent> events_;  // The links add, poll() takes.
  std::set<PeerId> forgotten_;
};

}  // namespace surety::fabric::sim
