#include "bench/fabric_sim/simulation_setup.h"

#include <cstdint>

namespace surety::bench::sim {

namespace {

// Hosts that only own parameters, and a replica if there is one.
std::uint32_t servers_of(const SimulationOptions& options) {
  const bool replica = options.replication.mode != ReplicationMode::kNone;
  return options.world.servers + (replica ? 1 : 0);
}

}  // namespace

WorldOptions world_of(const SimulationOptions& options) {
  WorldOptions world = options.world;
  world.servers = servers_of(options);
  return world;
}

fabric::SchedulerOptions scheduler_of(const SimulationOptions& options) {
  fabric::SchedulerOptions made{.blocks = options.blocks,
                                .block_bytes = options.model_bytes / options.blocks,
                                .quorum = options.quorum,
                                .staleness_max = options.staleness_max,
                                .aggregator_bytes = options.aggregator_bytes};
  made.cluster.classes = options.classes;
  const std::uint32_t workers = options.world.workers;
  const std::uint32_t servers = options.world.servers;
  const double rate = options.world.bytes_per_s;
  for (std::uint32_t id = 0; id < workers + servers; ++id) {
    made.workers[WorkerId{id}] = {rate, rate};
  }
  const std::uint32_t owners = servers > 0 ? servers : workers;
  for (std::uint32_t i = 0; i < owners; ++i) {
    made.owners.push_back({WorkerId{servers > 0 ? workers + i : i}, 1.0 / owners});
  }
  return made;
}

}  // namespace surety::bench::sim
