// The fabric's scheduler: hears what happens, says what travels next. The same core runs in the
// simulator and on the network.
//
// It ties the pieces together: a carousel (carousel.h) for each direction, shares (shares.h) over
// what the cluster (cluster.h) has to spare, the order of commits and the drops of order.h where
// capacity or a staleness bound force a choice, the modes of quorum.h, and replication.h.
//
// A round is granted, and ends when the owners say that it is committed or aborted: the owner is
// the only one who knows. An Abort only asks; until the answer comes its members stay in the round,
// so that no block of an update is ever in two. With several owners of a block the shell answers
// for all of them at once.
//
// Owners may follow the ports: all rounds go through them, so that one with a slow port holds up
// everybody. A block is moved before its first round under other owners.
//
// Deterministic: the same events at the same times give the same actions, bit for bit.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "fabric/core/actions.h"
#include "fabric/core/quorum.h"
#include "fabric/core/replication.h"

namespace surety::fabric {

struct Owner {
  HostId host;
  double fraction = 1;             // Of each block.
  std::vector<HostId> replicas{};  // In order of succession; the first hears mirrored sums.
};

struct SchedulerOptions {
  std::uint32_t blocks = 32;
  double block_bytes = 1 << 20;
  std::vector<Owner> owners{};
  // Of these, those with quick ports (cluster.h) own all, each as much. REQUIRES: no replicas.
  bool owners_follow_ports = false;
  Duration owners_rest = std::chrono::seconds(5);  // Between changes: each moves the model.
  ClusterOptions cluster{};
  ShareOptions shares{};
  QuorumOptions quorum{};
  ReplicationOptions replication{};
  std::uint64_t staleness_max = 0;   // tau, in versions; 0: no bound.
  std::uint32_t drops_in_a_row = 1;  // Then an update goes however stale it is; 0: no guard,
                                     // persistent stragglers never contribute.
  std::uint32_t members_max = 0;     // Of a round; 0: no limit.
  double aggregator_bytes = 64e6;    // What a round may stage at one host.
  double timer = 1.6;                // A round is looked at after so many times its planned time.
  double restart_gain = 0.7;         // It starts anew if that takes less than this of the rest.
  double headroom = 0.15;  // Of what a round's ports could carry, left to others: with all of
                           // it promised, a host that owns a part stops rounds the other way.
  double patience = 4;     // A round slower than its members' ports by this waits for
                           // those under way...
  Duration patience_max = std::chrono::milliseconds(100);  // ...at most so long.
};

class Scheduler {
 public:
  explicit Scheduler(SchedulerOptions options);
  ~Scheduler();

  // REQUIRES: time does not fall; owners joined before the first PushReady or PullRequest; ids as
  // the events say. Events of hosts that have left and of rounds that have ended are ignored: the
  // network delivers them late. A Tick every 50 ms looks at slow rounds and relaxes estimates.
  // O(members + hosts) for each round that starts, else O(blocks).
  [[nodiscard]] std::vector<Action> step(Time now, const Event& event);

  // As estimated. REQUIRES: the host is there.
  [[nodiscard]] Port port(HostId host) const;
  [[nodiscard]] bool is_quick(HostId host) const;  // As Cluster's.

  // For tests, pages and the simulator.
  [[nodiscard]] std::uint64_t version(std::uint32_t block) const;
  [[nodiscard]] std::size_t rounds() const;
  [[nodiscard]] std::size_t pending_updates() const;
  [[nodiscard]] double divergence() const;
  // So far, of what a round loads, when it was granted: promised over estimated.
  [[nodiscard]] double reserved_most() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// What a round loads, by its grant: for the simulator's network and for pacing.
[[nodiscard]] std::vector<Load> loads_of(const Network& network, Direction direction,
                                         const Grant& grant);
// The most that one aggregator stages: a slice of every member, and their sum.
[[nodiscard]] double staged_bytes(const Grant& grant, double block_bytes);

}  // namespace surety::fabric
