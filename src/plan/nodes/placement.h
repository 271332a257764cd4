// On which nodes a version may run.
//
// Only on as many as it was profiled on: how it learns and how long a pass takes are measured
// there, and neither carries over to another number. Which nodes these are is a choice between
// time and money (node_options.h); work is balanced over them, so their speeds add up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "plan/promise.h"
#include "plan/types.h"

namespace surety::plan {

// InvalidInput where a type is there twice or its numbers make no sense, and where there is no
// node.
[[nodiscard]] Result<void> check_nodes(const std::vector<NodeType>& nodes);

// By version: bytes that a node needs for it; none for those that are not listed.
using MemoryNeeds = std::map<std::string, std::uint64_t>;

// InvalidInput where no node can hold any of the versions. REQUIRES: a node and a version.
[[nodiscard]] Result<void> check_memory(const std::vector<NodeType>& nodes,
                                        const std::vector<std::string>& versions,
                                        const MemoryNeeds& memory);

// Types that some variant for one of the laws may use, of those that check_nodes() accepts
// (useful_nodes.h): worth calling once where there are many, for make_variants() sorts them all.
[[nodiscard]] std::vector<NodeType> nodes_for(std::span<const Laws> laws,
                                              const std::vector<NodeType>& nodes,
                                              const MemoryNeeds& memory);

// Variants for each law that has enough nodes with enough memory: from its options, the cheapest,
// the cheapest that is never preempted, the fastest, and the knees between them. `per_version` of a
// version in all, an even share for each law; where that would be less than two, an even choice of
// the laws with the fewest and the most nodes. Where no law of any version has enough nodes, each
// version on all nodes by its law for the fewest: then the pass takes longer, and that it learns
// alike is an assumption. In the order of the laws, each by mean cost of a pass. Empty where no
// node can hold any version. REQUIRES: check_nodes(nodes); per_version >= 2. At most 4096 nodes are
// used. O(nodes log nodes).
[[nodiscard]] std::vector<Variant> make_variants(const Laws& laws,
                                                 const std::vector<NodeType>& nodes,
                                                 const MemoryNeeds& memory,
                                                 std::size_t per_version);

// Where every node can hold every version.
[[nodiscard]] std::vector<Variant> make_variants(const Laws& laws,
                                                 const std::vector<NodeType>& nodes,
                                                 std::size_t per_version);

}  // namespace surety::plan
