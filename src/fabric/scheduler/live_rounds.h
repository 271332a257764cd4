// The rounds that are under way, with the rates that are promised to them. A round ends only when
// its owner has answered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

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
  std::vector<WorkerId> members{};  // The workers of the items, ascending.
  std::vector<Share> owners{};
};

// INVARIANT: the cluster has promised the rates of exactly the rounds that are under way.
class LiveRounds {
 public:
  // `cluster` and `planner` must outlive this object.
  LiveRounds(const SchedulerOptions& options, Cluster& cluster, RoundPlanner& planner)
      : headroom_(options.headroom), cluster_(cluster), planner_(planner) {}

  // The next id of a round, in ascending order.
  [[nodiscard]] RoundId next_id() { return ++last_; }

  // The round starts under a new id, and its rates are promised to it. REQUIRES: `plan` is the
  // planner's plan for the round now.
  [[nodiscard]] RoundId start(LiveRound round, const SharePlan& plan);
  // Ends the round and releases its rates. Returns nullopt if it is not under way.
  [[nodiscard]] std::optional<LiveRound> end(RoundId id);

  [[nodiscard]] std::size_t size() const { return rounds_.size(); }

 private:
  struct Entry {
    LiveRound round{};
    std::vector<Load> loads{};
    double bytes_per_s = 0;  // Planned rate of the block.
  };

  const double headroom_;
  Cluster& cluster_;
  RoundPlanner& planner_;
  std::map<RoundId, Entry> rounds_;
  RoundId last_ = 0;
};

}  // namespace surety::fabric
