#include "test/support/fabric/scheduler/grants.h"

#include <algorithm>

namespace surety::fabric {

std::vector<Load> loads_of(const Network& network, Direction direction, const Grant& grant) {
  std::vector<HostId> aggregators;
  return SharePlanner().loads(network, {direction, grant.members, aggregators, grant.owners},
                              grant.plan);
}

double staged_bytes(const Grant& grant, double block_bytes) {
  double largest = 0;
  for (const auto* shares : {&grant.plan.first, &grant.plan.second}) {
    for (const Share& share : *shares) largest = std::max(largest, share.fraction);
  }
  return largest * block_bytes * (static_cast<double>(grant.members.size()) + 1);
}

}  // namespace surety::fabric
