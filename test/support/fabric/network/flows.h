// The flows between hosts of a share plan: an independent computation of its loads.
#pragma once

#include <cstdint>
#include <vector>

#include "fabric/network/shares.h"

namespace surety::fabric {

struct Flow {
  HostId from;
  HostId to;
  double fraction = 0;  // Fraction of the block.
  std::uint8_t hop = 0;
};

// O(members * aggregators).
[[nodiscard]] std::vector<Flow> flows_of(const Network& network, const GroupTransfer& transfer,
                                         const SharePlan& plan);

}  // namespace surety::fabric
