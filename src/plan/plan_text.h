// Names of the parts of a plan, as they appear in plans, logs and tables.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plan/plan.h"
#include "plan/types.h"

namespace surety::plan {

// Examples are "4 nodes" and "2 on-demand + 2 spot". Types are named if there are several.
[[nodiscard]] std::string nodes_text(std::uint32_t nodes, const std::vector<NodeCount>& counts);
// For example "prune:0.5 on 4 nodes"; "prune:0.5" if the block does not name its nodes.
[[nodiscard]] std::string block_text(const Block& block);

}  // namespace surety::plan
