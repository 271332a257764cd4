// The flows between hosts by which a share plan is carried out: an independent account of its
// loads.
#pragma once

#include <vector>

#include "fabric/network/shares.h"

namespace surety::fabric {

struct Flow {
  HostId from;
  HostId to;
  double fraction = 0;  // Fraction of the block.
};

// O(members * (aggregators + owners) + aggregators * owners).
[[nodiscard]] std::vector<Flow> flows_of(const GroupTransfer& transfer, const SharePlan& plan);

}  // namespace surety::fabric
