#include "fabric/scheduler/round_planner.h"

#include <algorithm>
#include <limits>

namespace surety::fabric {

RoundPlanner::RoundPlanner(const SchedulerOptions& options, const Cluster& cluster)
    : cluster_(cluster),
      block_bytes_(options.block_bytes),
      aggregator_bytes_(options.aggregator_bytes),
      patience_(options.patience) {}

GroupTransfer RoundPlanner::transfer_of(const RoundGroup& group) const {
  const double slices = static_cast<double>(group.members.size()) + 1;
  return {group.direction, group.members, cluster_.aggregators(), group.owners,
          aggregator_bytes_ / (block_bytes_ * slices)};
}

std::optional<SharePlan> RoundPlanner::plan(const RoundGroup& group) {
  return planner_.plan(cluster_.spare(), transfer_of(group));
}

std::vector<Load> RoundPlanner::loads(const RoundGroup& group, const SharePlan& plan) {
  return planner_.loads(cluster_.spare(), transfer_of(group), plan);
}

bool RoundPlanner::is_worth_waiting(const RoundGroup& group, const SharePlan& plan,
                                    bool has_waited_long) {
  const PortSide port = side_of(group.direction);
  double fastest = std::numeric_limits<double>::infinity();
  for (const WorkerId member : group.members) {
    fastest = std::min(fastest, cluster_.rate(member, port));
  }
  if (plan.s_per_byte * fastest <= patience_) return false;
  const auto alone = planner_.plan(cluster_.whole(), transfer_of(group));
  const double limit = has_waited_long ? patience_ * patience_ : patience_;
  return alone && plan.s_per_byte > limit * alone->s_per_byte;
}

bool RoundPlanner::is_reachable(WorkerId worker, Direction direction) const {
  const PortSide port = side_of(direction);
  const double spare = rate_of(cluster_.spare()[worker.value], port);
  return spare * patience_ >= rate_of(cluster_.whole()[worker.value], port);
}

}  // namespace surety::fabric
