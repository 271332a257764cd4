// How a planner works, whatever it plans.
#pragma once

#include <cstdint>

#include "plan/plan.h"

namespace surety::plan {

struct PlanOptions {
  Planner planner = Planner::kClosedLoop;
  std::uint64_t seed = 1;
  std::uint32_t simulated_runs = 4000;
  std::uint32_t levels = 100;      // Of the metric, in the decision process and in the graph.
  std::uint32_t ticks = 240;       // Of the time.
  std::uint32_t classes = 5;       // Of the run effect.
  std::uint32_t worlds = 60;       // Laws drawn from what the profile leaves open.
  std::uint32_t passes_max = 400;  // In one block: bounds the graph.
};

}  // namespace surety::plan
