// The fabric's scheduler: it receives events and decides what is sent next. The same core runs in
// jobs and on the simulated network of bench/fabric_sim.
//
// It combines the other parts: a block rotation (block_rotation.h) for each direction; shares
// (shares.h) over the spare capacity of the cluster (cluster.h); the commit order and the drops of
// order.h, where capacity or a staleness bound forces a choice; and the modes of quorum.h.
//
// A round is granted, and it ends when the owners report that it is committed or aborted. Only the
// owner knows which. An Abort is only a request: until the answer comes, the members stay in the
// round, so that no block of an update is ever in two rounds. If a block has several owners, the
// shell sends one answer for all of them.
//
// The choice of owners may follow the port speeds, because all rounds go through the owners and one
// with a slow port delays all. A block is moved before its first round under other owners.
//
// Deterministic: the same events at the same times give the same actions, bit for bit.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "fabric/scheduler/actions.h"
#include "fabric/scheduler/quorum.h"

namespace surety::fabric {

struct Owner {
  HostId host;
  double fraction = 1;  // Part of each block that it owns.
};

struct SchedulerOptions {
  std::uint32_t blocks = 32;
  double block_bytes = 1 << 20;
  std::vector<Owner> owners{};
  // If true, the hosts of `owners` with fast ports (Cluster::has_fast_port) own all blocks in equal
  // parts.
  bool owners_follow_ports = false;
  // Minimum time between changes of owners, because each change moves the model.
  Duration placement_interval_min = std::chrono::seconds(5);
  ClusterOptions cluster{};
  ShareOptions shares{};
  QuorumOptions quorum{};
  // The bound tau, in versions; 0 means no bound.
  std::uint64_t staleness_max = 0;
  // After this many drops in a row an update is sent, however stale it is. 0 means no guard:
  // workers that are always slow never contribute.
  std::uint32_t consecutive_drops_max = 1;
  // Maximum number of members of a push round; 0 means no limit.
  std::uint32_t members_max = 0;
  // Maximum number of bytes that a round may stage at one host.
  double aggregator_bytes = 64e6;
  // A round is checked for slowness after its planned time multiplied by this.
  double timer = 1.6;
  // A slow round starts anew if that takes less than this part of the time left.
  double restart_gain = 0.7;
  // Part of the rate that a round's ports allow which is left to others. If all of it were
  // promised, a host that owns a part would stop rounds in the other direction.
  double headroom = 0.15;
  // A round waits for current ones to end if it would be slower by this factor than its members'
  // ports allow, and than on an idle network.
  double patience = 4;
  // After this time a waiting round compares with the idle network by the factor squared.
  Duration patience_max = std::chrono::milliseconds(100);
};

class Scheduler {
 public:
  explicit Scheduler(SchedulerOptions options);
  ~Scheduler();

  // Handles one event and returns the actions that follow.
  // REQUIRES: time does not decrease; owners joined before the first PushReady or PullRequest; ids
  // as the events demand.
  // Events of hosts that have left and of rounds that have ended are ignored, because the network
  // may deliver them late. A Tick is expected every 50 ms; it checks slow rounds and relaxes
  // estimates. O(members + hosts) for each round that starts, else O(blocks).
  [[nodiscard]] std::vector<Action> step(Time now, const Event& event);

  // The estimated port rates. REQUIRES: the host is present.
  [[nodiscard]] Port port(HostId host) const;
  [[nodiscard]] bool has_fast_port(HostId host) const;  // The same as Cluster::has_fast_port.

  // For tests, logs and the simulator.
  [[nodiscard]] std::uint64_t version(std::uint32_t block) const;
  [[nodiscard]] std::size_t rounds() const;
  [[nodiscard]] std::size_t pending_updates() const;
  // The highest ratio of promised to estimated rate so far, over all resources that a round loads,
  // at the time of its grant.
  [[nodiscard]] double reserved_most() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace surety::fabric
