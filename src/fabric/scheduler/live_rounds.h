// The rounds that are under way, with the rates that are promised to them. A round ends only when
// its owner has answered: an abort is only requested here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/time.h"
#include "fabric/network/block_rotation.h"
#include "fabric/network/cluster.h"
#include "fabric/scheduler/actions.h"
#include "fabric/scheduler/options.h"
#include "fabric/scheduler/round_planner.h"

namespace surety::fabric {

struct LiveRound {
  Direction direction = Direction::kPush;
  std::uint32_t speed_class = 0;
  std::uint32_t block = 0;
  std::vector<ItemId> items{};
  std::vector<HostId> members{};  // The hosts of the items, ascending.
  std::vector<Share> owners{};
};

// INVARIANT: the cluster has promised the rates of exactly the rounds that are under way.
class LiveRounds {
 public:
  // `cluster` and `planner` must outlive this object.
  LiveRounds(const SchedulerOptions& options, Cluster& cluster, RoundPlanner& planner)
      : options_(options), cluster_(cluster), planner_(planner) {}

  // The next id of a round, in ascending order.
  [[nodiscard]] RoundId next_id() { return ++last_; }

  // The round starts under a new id, and its rates are promised to it. REQUIRES: `plan` is the
  // planner's plan for the round now.
  [[nodiscard]] RoundId start(Time now, LiveRound round, const SharePlan& plan);
  // The round has ended, and what was promised to it is free. Returns nullopt if it is not under
  // way.
  [[nodiscard]] std::optional<LiveRound> end(RoundId id);

  // Requests the abort of all rounds in which the host takes part: as a member, as an owner, or in
  // between. No round is aborted twice. The host is lost.
  void abort_rounds_of(HostId host, std::vector<Action>& actions);
  // Requests the abort of each round that has taken much longer than planned, if starting anew
  // takes clearly less time than what is left, by current estimates. A round is slow because a
  // member's own port became slow, and then the others continue without it; or because a host in
  // between did, and then shares change. O(rounds) if none is late.
  void abort_slow(Time now, std::vector<Action>& actions);

  [[nodiscard]] std::size_t size() const { return rounds_.size(); }
  // The number of updates whose pushes of the block are under way.
  [[nodiscard]] std::uint64_t updates_of(std::uint32_t block) const;
  // The highest ratio of promised to estimated rate so far, over all resources that a round loads,
  // when it started.
  [[nodiscard]] double reserved_most() const { return reserved_most_; }

 private:
  struct Entry {
    LiveRound round{};
    std::vector<HostId> takes_part{};  // All hosts whose loss ends the round, ascending.
    std::vector<Load> loads{};
    double bytes_per_s = 0;  // Planned rate of the block.
    Time started{};
    Time check_at{};
    bool is_aborting = false;
  };
  void check(Time now, RoundId id, Entry& entry, std::vector<Action>& actions);
  void abort(RoundId id, Entry& entry, Explanation why, std::vector<Action>& actions);

  const SchedulerOptions options_;
  Cluster& cluster_;
  RoundPlanner& planner_;
  std::map<RoundId, Entry> rounds_;
  RoundId last_ = 0;
  double reserved_most_ = 0;
};

}  // namespace surety::fabric
