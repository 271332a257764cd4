// The flows between workers of a share plan: an independent computation of its loads.
#pragma once

#include <vector>

#include "fabric/network/shares.h"

namespace surety::fabric {

struct Flow {
  WorkerId from;
  WorkerId to;
  double fraction = 0;  // Fraction of the block.
};

// O(members * (aggregators + owners) + aggregators * owners).
[[nodiscard]] std::vector<Flow> flows_of(const GroupTransfer& transfer, const SharePlan& plan);

}  // namespace surety::fabric
