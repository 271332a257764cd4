// What a round costs the links of the simulated network: the ports of hosts, and the links of racks
// that it crosses. Computed from its flows, independently of the loads that the scheduler expects.
#pragma once

#include <span>
#include <vector>

#include "bench/fabric_sim/scenario.h"
#include "fabric/scheduler/actions.h"
#include "sim/network/link.h"

namespace surety::bench::sim {

// `owners`: those of the placement of the grant, and others that receive the same.
[[nodiscard]] std::vector<surety::sim::LinkLoad> loads_of_round(
    const World& world, const fabric::Grant& grant, std::span<const fabric::Share> owners);

// The parts of a block that change owners travel from the old owners to the new ones.
[[nodiscard]] std::vector<surety::sim::LinkLoad> loads_of_move(
    const World& world, std::span<const fabric::Share> before,
    std::span<const fabric::Share> after);

}  // namespace surety::bench::sim
