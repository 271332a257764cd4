// Names of what a plan is made of, as they stand in plans, logs and tables.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plan/plan.h"
#include "plan/types.h"

namespace surety::plan {

// "4 nodes", "2 on-demand + 2 spot": the types are named where there are several to name.
[[nodiscard]] std::string nodes_text(std::uint32_t nodes, const std::vector<NodeCount>& counts);
// "prune:0.5 on 4 nodes".
[[nodiscard]] std::string block_text(const Block& block);

}  // namespace surety::plan
