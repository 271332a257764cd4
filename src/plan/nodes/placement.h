// Finds the nodes on which a version may run.
//
// A version runs only on the number of nodes on which it was profiled. Its learning and the
// duration of a pass were measured on this number, and neither holds for another number. The choice
// of nodes is a trade-off between time and money (node_options.h). Work is balanced over the nodes,
// so their speeds add up.
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

// Errors: InvalidInput if a type is given twice, if its numbers are not valid, or if there is no
// node.
[[nodiscard]] Result<void> check_nodes(const std::vector<NodeType>& nodes);

// Bytes that a node needs for each version; 0 for versions that are not listed.
using MemoryNeeds = std::map<std::string, std::uint64_t>;

// Errors: InvalidInput if no node can hold any of the versions. REQUIRES: a node and a version.
[[nodiscard]] Result<void> check_memory(const std::vector<NodeType>& nodes,
                                        const std::vector<std::string>& versions,
                                        const MemoryNeeds& memory);

// Types that some variant for one of the laws may use (useful_nodes.h), from types that
// check_nodes() accepts. If there are many types, call it once, because make_variants() sorts all
// types.
[[nodiscard]] std::vector<NodeType> nodes_for(std::span<const Laws> laws,
                                              const std::vector<NodeType>& nodes,
                                              const MemoryNeeds& memory);

// Variants for each law that has enough nodes with enough memory. Of the options of a law, these
// are the cheapest, the cheapest that is never preempted, the fastest, and the knees between them.
// A version has `per_version` variants in all, an equal share for each law. If that share were less
// than two, only an even choice of laws is used, from the fewest to the most nodes.
//
// If no law of any version has enough nodes, each version runs on all nodes with its law for the
// fewest. Then a pass takes longer, and it is an assumption that the version learns equally well.
// The result is in the order of the laws, and by mean cost of a pass for each law. Empty if no node
// can hold any version.
// REQUIRES: check_nodes(nodes); per_version >= 2. At most 4096 nodes are used.
// O(nodes log nodes).
[[nodiscard]] std::vector<Variant> make_variants(const Laws& laws,
                                                 const std::vector<NodeType>& nodes,
                                                 const MemoryNeeds& memory,
                                                 std::size_t per_version);

// The same if every node can hold every version.
[[nodiscard]] std::vector<Variant> make_variants(const Laws& laws,
                                                 const std::vector<NodeType>& nodes,
                                                 std::size_t per_version);

}  // namespace surety::plan
