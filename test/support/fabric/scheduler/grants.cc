#include "test/support/fabric/scheduler/grants.h"

#include <algorithm>

namespace surety::fabric {

double staged_bytes(const Grant& grant, double block_bytes) {
  double largest = 0;
  for (const Share& share : grant.plan.shares) largest = std::max(largest, share.fraction);
  return largest * block_bytes * (static_cast<double>(grant.members.size()) + 1);
}

}  // namespace surety::fabric
