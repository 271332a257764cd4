// On how many nodes a version may run: the variants worth planning with.
//
// n nodes are always the n with the least price per speed (ties: the faster, then the type's name);
// work is balanced over them, so their speeds add up.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/promise.h"
#include "plan/types.h"

namespace surety::plan {

// For each version, up to `per_version` node counts on the lower-left front of duration and cost of
// a pass (ties in both: fewer nodes), the fastest and the cheapest always among them. Versions in
// order, node counts ascending.
// REQUIRES: at least one node. O(versions * nodes), at most 4096 nodes are looked at.
[[nodiscard]] std::vector<Variant> make_variants(const Laws& laws,
                                                 const std::vector<NodeType>& nodes,
                                                 std::size_t per_version);

}  // namespace surety::plan
