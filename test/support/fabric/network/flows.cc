#include "test/support/fabric/network/flows.h"

#include <utility>

namespace surety::fabric {

std::vector<Flow> flows_of(const GroupTransfer& transfer, const SharePlan& plan) {
  std::vector<Flow> flows;
  // Arguments are as for a push. The flows of a pull are reversed.
  const auto add = [&](WorkerId from, WorkerId to, double fraction) {
    if (from == to || fraction <= 0) return;
    if (transfer.direction == Direction::kPull) std::swap(from, to);
    flows.push_back({from, to, fraction});
  };
  const auto to_owners = [&](WorkerId from, double fraction) {
    for (const Share& owner : transfer.owners) add(from, owner.worker, fraction * owner.fraction);
  };
  for (const WorkerId member : transfer.members) {
    for (const Share& share : plan.shares) add(member, share.worker, share.fraction);
    to_owners(member, plan.direct);
  }
  for (const Share& share : plan.shares) to_owners(share.worker, share.fraction);
  return flows;
}

}  // namespace surety::fabric
