// One operation over a transport. It connects a BlockedExecutor, which decides what to send, a
// BlockPlanner, which decides over which hosts, and a Transport, which sends it.
//
// One host, the planner, grants blocks to all hosts (itself included). The lanes of a block are cut
// by the port rates that it knows at that moment. A block is granted when few enough others are
// unfinished at the planner. The planner takes part in every block to the end (as owner, or as a
// member of an all-reduce), so the window bounds the data that any hub has to stage: the grant is a
// credit of the recipients. The window grows by one with each finished block, so that a slow port
// is found before many blocks depend on it.
//
// Every host measures its ports and reports to the planner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bench/lanes/planner.h"
#include "fabric/transport/transport.h"

namespace surety::bench {

struct LaneRunOptions {
  std::uint64_t round = 0;         // Tag::round of all its messages; grows from run to run.
  WorkerId planner;                // The owner, or a member of an all-reduce.
  std::uint32_t window_first = 2;  // Maximum number of blocks in flight at the start.
  // Maximum number of blocks in flight after the window has grown.
  std::uint32_t window_max = 8;
  // Whether ports are measured; otherwise the nominal rates are used.
  bool measures = true;
  // Messages given to the transport for one peer and not yet sent. If there are more, urgent ones
  // wait longer.
  std::size_t sends_per_peer = 2;
};

struct LaneRunCounts {
  std::uint64_t data_bytes = 0;  // Bytes of data that this host gave to the transport.
  std::uint64_t control_bytes = 0;
  std::uint64_t staged_bytes_max = 0;
};

// The objects that the planner uses for its decisions; null on other hosts. Both must outlive the
// run.
struct LanePlanning {
  BlockPlanner* planner = nullptr;
  PortEstimates* port_estimates = nullptr;
};

class LaneRun {
 public:
  // `peers` maps every other host that takes part to its connection. The transport must outlive
  // this object. This object must outlive all sends, or the peers must be disconnected after its
  // destruction.
  LaneRun(fabric::Transport& transport, WorkerId self, std::map<WorkerId, fabric::PeerId> peers,
          const LaneRunOptions& options, std::unique_ptr<BlockedExecutor> executor,
          LanePlanning planning = {});

  // Handles the events of the transport's poll(). Returns true when our part is finished and all
  // our messages have left. Unavailable: a host is lost. Corrupt: a host sent invalid data. The
  // error names the host.
  [[nodiscard]] Result<bool> advance(Time now, std::vector<fabric::TransportEvent> events);

  [[nodiscard]] const BlockedExecutor& executor() const { return *executor_; }
  [[nodiscard]] const LaneRunCounts& counts() const { return counts_; }
  // The reasons for which messages were refused (the first 16), for the log.
  [[nodiscard]] const std::vector<std::string>& refusals() const { return refusals_; }

 private:
  struct InFlight {
    WorkerId to;
    bool control = false;
    BlockStep step{};  // Only messages with data use it.
    std::uint64_t bytes = 0;
    std::shared_ptr<const void> keep{};
  };

  [[nodiscard]] Result<void> handle(Time now, fabric::TransportEvent event);
  [[nodiscard]] Result<void> on_received(Time now, fabric::Received message);
  [[nodiscard]] Result<void> on_control(Time now, WorkerId from, const fabric::Received& message);
  [[nodiscard]] Result<void> on_sent(std::uint64_t ticket);
  [[nodiscard]] Result<void> grant_blocks(Time now);
  [[nodiscard]] Result<void> send_data();
  [[nodiscard]] Result<void> send_control(WorkerId to, std::uint32_t step,
                                          std::vector<std::byte> bytes);
  [[nodiscard]] Result<void> measure(Time now);
  [[nodiscard]] Result<fabric::PeerId> peer_of(WorkerId host) const;

  fabric::Transport& transport_;
  const WorkerId self_;
  const std::map<WorkerId, fabric::PeerId> peers_;
  std::map<fabric::PeerId, WorkerId> hosts_;  // The inverse of peers_.
  const LaneRunOptions options_;
  const std::unique_ptr<BlockedExecutor> executor_;
  const LanePlanning planning_;

  std::map<std::uint64_t, InFlight> in_flight_;  // Messages in flight, by ticket.
  // Number of data messages in flight to each host.
  std::map<WorkerId, std::size_t> sending_;
  PortMeter out_;
  PortMeter in_;
  std::uint64_t out_bytes_ = 0;  // Bytes since the meters' last update.
  std::uint64_t in_bytes_ = 0;   // Bytes since the meters' last update.
  LaneRunCounts counts_;
  std::vector<std::string> refusals_;
};

}  // namespace surety::bench
