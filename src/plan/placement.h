// On how many nodes a version may run.
//
// Only on as many as it was profiled on: how it learns and how long a pass takes are measured
// there, and neither carries over to another number. n nodes are always the n with the least price
// per speed (ties: the faster, then the type's name); work is balanced over them, so their speeds
// add up.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/promise.h"
#include "plan/types.h"

namespace surety::plan {

// One variant for each law that has enough nodes; where a version has more than `per_version`, an
// even choice of them with the fewest and the most nodes. Where no law of any version has enough,
// each version on all nodes by its law for the fewest: then the pass takes longer, and that it
// learns alike is an assumption. In the order of the laws.
// REQUIRES: at least one node; per_version >= 2. At most 4096 nodes are used.
[[nodiscard]] std::vector<Variant> make_variants(const Laws& laws,
                                                 const std::vector<NodeType>& nodes,
                                                 std::size_t per_version);

}  // namespace surety::plan
