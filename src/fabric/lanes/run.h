// One operation over a transport: the glue between a LaneExecutor, which knows what to send, a
// BlockPlanner, which knows over whom, and a Transport, which knows how.
//
// One host, the planner, grants blocks to all (itself included), each with lanes cut by the ports
// as it knows them then. A block is granted when few enough others are unfinished at the planner;
// since it takes part in every block to the end (as owner, or as a member of an all-reduce), the
// window bounds what any hub must stage: the grant is the receivers' credit. The window opens by
// one with each finished block, so that a slow port is found before much depends on it.
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

#include "fabric/lanes/executor.h"
#include "fabric/lanes/planner.h"
#include "fabric/transport.h"

namespace surety::fabric {

struct LaneRunOptions {
  std::uint64_t round = 0;         // Tag::round of all its messages; grows from run to run.
  HostId planner;                  // The owner, or a member of an all-reduce.
  std::uint32_t window_first = 2;  // Blocks in flight, at first and at most.
  std::uint32_t window_max = 8;
  bool measures = true;  // Whether ports are measured, or believed to be as planned.
  // Given to the transport and not sent: more hides what is urgent.
  std::size_t sends_per_peer = 2;
};

struct LaneRunCounts {
  std::uint64_t data_bytes = 0;  // Sent by this host.
  std::uint64_t control_bytes = 0;
  std::uint64_t staged_bytes_max = 0;
};

// What the planner decides by; other hosts have none. Both must outlive the run.
struct LanePlanning {
  BlockPlanner* planner = nullptr;
  PortBook* book = nullptr;
};

class LaneRun {
 public:
  // `peers`: every other host that takes part, by its connection. The transport must outlive this,
  // and this (or its destruction, then disconnect) all sends.
  LaneRun(Transport& transport, HostId self, std::map<HostId, PeerId> peers,
          const LaneRunOptions& options, std::unique_ptr<LaneExecutor> executor,
          LanePlanning planning = {});

  // Handles what the transport's poll() gave. True: our part is finished, and all that we send has
  // left. Unavailable: a host is lost, named. Corrupt: a host sent nonsense, named.
  [[nodiscard]] Result<bool> advance(Time now, std::vector<TransportEvent> events);

  [[nodiscard]] const LaneExecutor& executor() const { return *executor_; }
  [[nodiscard]] const LaneRunCounts& counts() const { return counts_; }
  // Why messages were refused (the first 16), for the log.
  [[nodiscard]] const std::vector<std::string>& refusals() const { return refusals_; }

 private:
  struct InFlight {
    HostId to;
    bool control = false;
    LaneStep step{};  // Of data.
    std::uint64_t bytes = 0;
    std::shared_ptr<const void> keep{};
  };

  [[nodiscard]] Result<void> handle(Time now, TransportEvent event);
  [[nodiscard]] Result<void> on_received(Time now, Received message);
  [[nodiscard]] Result<void> on_control(Time now, HostId from, const Received& message);
  void on_sent(std::uint64_t ticket);
  [[nodiscard]] Result<void> grant_blocks(Time now);
  [[nodiscard]] Result<void> send_data();
  [[nodiscard]] Result<void> send_control(HostId to, std::uint32_t step,
                                          std::vector<std::byte> bytes);
  [[nodiscard]] Result<void> measure(Time now);
  [[nodiscard]] Result<PeerId> peer_of(HostId host) const;

  Transport& transport_;
  const HostId self_;
  const std::map<HostId, PeerId> peers_;
  std::map<PeerId, HostId> hosts_;  // The inverse.
  const LaneRunOptions options_;
  const std::unique_ptr<LaneExecutor> executor_;
  const LanePlanning planning_;

  std::map<std::uint64_t, InFlight> in_flight_;  // By ticket.
  std::map<HostId, std::size_t> sending_;        // Data messages in flight to each.
  PortMeter out_, in_;
  std::uint64_t out_bytes_ = 0, in_bytes_ = 0;  // Since the meters were last told.
  LaneRunCounts counts_;
  std::vector<std::string> refusals_;
};

}  // namespace surety::fabric
