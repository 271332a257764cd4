// The simulated network: messages in order on connections, bulk bytes as fluids, and links that may
// be cut.
//
// A control message takes a latency, and more if packets get lost (TCP sends them again, and later
// messages wait). Messages in a cut direction wait until the cut ends. Acknowledgements need the
// opposite direction: if only that direction is cut, a few messages still arrive, then none.
//
// A bulk transfer is one flow of the fluid network (sim/network/fluid.h), max-min fair with the
// others. A transfer over a cut link stops. It starts again from its beginning when the cut ends,
// or breaks after `silence_s`.
//
// Not modelled: congestion control, and a core that is slower than all links of the racks together.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "fabric/transport/transport.h"
#include "sim/network/event_queue.h"
#include "sim/network/fluid.h"

namespace surety::sim {

using HostIndex = std::uint32_t;  // Index 0 is the coordinator's machine.

// A traffic shaper, as clouds have for each host (FluidNetwork::set_bucket()).
struct Shaper {
  double burst_bytes = 0;       // Unused capacity that is saved at most.
  double line_bytes_per_s = 0;  // The rate while saved capacity is left.
};

struct NetworkOptions {
  double latency_s = 2e-4;
  double port_bytes_per_s = 125e6;   // Rate of each host and direction: 1 Gbit/s.
  std::optional<Shaper> shaper{};    // Each host and direction has its own shaper.
  std::uint32_t racks = 1;           // Host h is in rack h mod racks.
  double rack_bytes_per_s = 1.25e9;  // Between a rack and the core, if there are two racks or more.
  double silence_s = 5;              // Seconds until a transfer over a cut link breaks.
  // Messages that TCP sends without an acknowledgement: its first window.
  std::uint32_t unacknowledged_max = 10;
};

// The network conditions at present, for messages.
struct NetworkConditions {
  double loss = 0;     // Chance that a message is lost and sent again, after 0.2 s, 0.4 s, ...
  double delay_s = 0;  // Mean of an exponential delay that is added to the latency.
  double doubled = 0;  // Chance that the coordinator receives an answer a second time, later.
};

// The load that each byte of progress puts on the ports of hosts, and the links needed.
struct Bulk {
  // Each sender sends to each receiver.
  std::vector<HostIndex> senders;
  std::vector<HostIndex> receivers;
  double sent_per_byte = 1;
  double received_per_byte = 1;
  double bytes = 0;
};

class Network {
 public:
  Network(EventQueue& queue, NetworkOptions options, Random random, HostIndex hosts);

  // Messages on one connection arrive in the order in which they are sent. `connection` numbers are
  // not used again; close() drops messages that are under way.
  void send(std::uint64_t connection, HostIndex from, HostIndex to, std::function<void()> deliver);
  void close(std::uint64_t connection);

  using BulkId = std::uint64_t;
  // Calls `done(true)` when everything has arrived, or `done(false)` if a cut lasts too long.
  BulkId start(const Bulk& bulk, std::function<void(bool)> done);
  void stop(BulkId bulk);
  // Bulk bytes that have passed the host's port until now.
  [[nodiscard]] fabric::PortBytes port_bytes(HostIndex host);

  void cut(HostIndex from, HostIndex to);
  void heal(HostIndex from, HostIndex to);
  void heal_all();
  [[nodiscard]] bool is_cut(HostIndex from, HostIndex to) const {
    return cuts_.contains({from, to});
  }

  [[nodiscard]] NetworkConditions& conditions() { return conditions_; }
  [[nodiscard]] const NetworkOptions& options() const { return options_; }
  [[nodiscard]] HostIndex rack_of(HostIndex host) const { return host % options_.racks; }

 private:
  // A connection, and whether it goes to a higher host.
  using Direction = std::pair<std::uint64_t, bool>;
  struct Stream {
    HostIndex from = 0;
    HostIndex to = 0;
    double last_arrival_s = 0;
    std::uint32_t unacknowledged = 0;
    std::vector<std::function<void()>> held;
  };
  struct Transfer {
    Bulk bulk;
    std::function<void(bool)> done;
    std::optional<JobId> job;        // Absent while the transfer is stopped.
    std::uint64_t stall_number = 0;  // Number of the current stop.
  };
  void deliver(std::uint64_t connection, Stream& stream, std::function<void()> action);
  void release_held();
  [[nodiscard]] bool crosses_cut(const Bulk& bulk) const;
  void begin(BulkId id, Transfer& transfer);
  void stall(BulkId id, Transfer& transfer);
  void advance_transfers();  // Moves all transfers forward to now.
  void schedule_next_end();  // Schedules the end of the next job.

  EventQueue& queue_;
  NetworkOptions options_;
  Random random_;
  NetworkConditions conditions_;
  std::set<std::pair<HostIndex, HostIndex>> cuts_;
  std::map<Direction, Stream> streams_;
  FluidNetwork fluid_;
  double flowed_until_s_ = 0;
  // Number of the last schedule_next_end(); events of older ones do nothing.
  std::uint64_t schedule_ = 0;
  std::map<BulkId, Transfer> transfers_;
  std::map<JobId, BulkId> bulk_of_;
  BulkId last_ = 0;
  std::uint64_t stalls_ = 0;
};

}  // namespace surety::sim
