#include "test/support/fabric/network/flows.h"

#include <utility>

namespace surety::fabric {

std::vector<Flow> flows_of(const GroupTransfer& transfer, const SharePlan& plan) {
  std::vector<Flow> flows;
  // Arguments are as for a push. The flows of a pull are reversed.
  const auto add = [&](HostId from, HostId to, double fraction) {
    if (from == to || fraction <= 0) return;
    if (transfer.direction == Direction::kPull) std::swap(from, to);
    flows.push_back({from, to, fraction});
  };
  const auto to_owners = [&](HostId from, double fraction) {
    for (const Share& owner : transfer.owners) add(from, owner.host, fraction * owner.fraction);
  };
  for (const HostId member : transfer.members) {
    for (const Share& share : plan.shares) add(member, share.host, share.fraction);
    to_owners(member, plan.direct);
  }
  for (const Share& share : plan.shares) to_owners(share.host, share.fraction);
  return flows;
}

}  // namespace surety::fabric
