// Converts the options of a simulation to those of its parts.
#pragma once

#include "bench/fabric_sim/scenario.h"
#include "bench/fabric_sim/simulation.h"
#include "fabric/scheduler/scheduler.h"

namespace surety::bench::sim {

[[nodiscard]] WorldOptions world_of(const SimulationOptions& options);
[[nodiscard]] fabric::SchedulerOptions scheduler_of(const SimulationOptions& options);

}  // namespace surety::bench::sim
