// Options of all planners.
#pragma once

#include <cstdint>

#include "plan/plan.h"

namespace surety::plan {

struct PlanOptions {
  Planner planner = Planner::kClosedLoop;
  std::uint64_t seed = 1;
  std::uint32_t simulated_runs = 4000;
  std::uint32_t levels = 100;  // Levels of the metric, in the decision process and in the graph.
  std::uint32_t ticks = 240;   // Steps of time.
  std::uint32_t classes = 5;   // Classes of the run effect.
  std::uint32_t worlds = 60;   // Laws that are drawn to represent the uncertainty of the profile.
};

}  // namespace surety::plan
