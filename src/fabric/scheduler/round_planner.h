// Plans rounds on the capacity that current rounds leave free. It does not start a round that would
// end earlier if it waited for them: they end soon, and with little free capacity the round would
// take longer.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "fabric/network/cluster.h"
#include "fabric/network/shares.h"
#include "fabric/scheduler/options.h"

namespace surety::fabric {

// The workers of a transfer of a block.
struct RoundGroup {
  Direction direction = Direction::kPush;
  std::span<const WorkerId> members;  // Ascending, not empty.
  std::span<const Share> owners;
};

class RoundPlanner {
 public:
  // `cluster` must outlive this object.
  RoundPlanner(const SchedulerOptions& options, const Cluster& cluster);

  // Plans a transfer on the free capacity. Returns nullopt if the network cannot carry it now. The
  // cost is that of SharePlanner.
  [[nodiscard]] std::optional<SharePlan> plan(const RoundGroup& group);
  // The loads of such a plan.
  [[nodiscard]] std::vector<Load> loads(const RoundGroup& group, const SharePlan& plan);

  // Returns whether the transfer should wait for current rounds to end: by this plan it would take
  // `patience` times as long as the members' ports allow, and also `patience` times as long as on
  // an idle network. For a group that has waited for long, the second factor is `patience` squared.
  // REQUIRES: there are current rounds.
  [[nodiscard]] bool is_worth_waiting(const RoundGroup& group, const SharePlan& plan,
                                      bool has_waited_long);
  // False if current rounds use the worker's port so much that the worker would delay all other
  // members. Then it should wait for the next round.
  [[nodiscard]] bool is_reachable(WorkerId worker, Direction direction) const;

 private:
  [[nodiscard]] GroupTransfer transfer_of(const RoundGroup& group) const;

  const Cluster& cluster_;
  SharePlanner planner_;
  const double block_bytes_;
  const double aggregator_bytes_;
  const double patience_;
};

}  // namespace surety::fabric
