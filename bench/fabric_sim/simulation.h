// A training job on the fluid network, driven by the same scheduler as in the real runtime.
//
// Workers compute, push, wait and pull (or, with overlap, continue computing). Rounds are jobs of
// the network with the loads of their plans, weighted by their planned rates. Bandwidth samples are
// the true capacity of each port that a round touches, at most every 20 ms, with 15 % of noise. Not
// modelled are latency inside a round (2 % more bytes are charged for it), processors, and the loss
// of hosts. A block moves to other owners in one transfer, for which its later rounds wait.
//
// Owners may have a replica (replication.h). The scheduler does not consider it: a granted round
// that has to wait for the replica begins later, and a mirrored round also sends its sums to the
// replica.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/fabric_sim/replication.h"
#include "bench/fabric_sim/scenario.h"
#include "fabric/scheduler/scheduler.h"

namespace surety::bench::sim {

struct SimulationOptions {
  // 0 servers means that the workers' hosts own the parameters in equal parts.
  WorldOptions world{};
  fabric::QuorumOptions quorum{};
  // If it is above 0, computing and transfers overlap, with at most this many steps.
  std::uint32_t local_steps_max = 0;
  std::uint32_t blocks = 32;
  double model_bytes = 100e6;
  std::uint32_t classes = 4;
  std::optional<std::uint64_t> staleness_max{};
  double aggregator_bytes = 64e6;  // With 0 there are no aggregators.
  // If there is replication, one more host is the replica of all owners.
  ReplicationOptions replication{};
  double warm_up_s = 5;
  double horizon_s = 30;  // Duration after the warm-up.
  bool keep_log = false;
};

struct SimulationResult {
  // Counts only updates that are complete after the warm-up.
  double updates_per_s = 0;
  double steps_per_s = 0;
  double staleness_mean = 0;
  double read_to_commit_s = 0;
  std::uint64_t staleness_most = 0;
  std::uint64_t updates = 0;
  std::uint64_t drops = 0;
  std::uint64_t rounds = 0;
  std::uint64_t shipments = 0;
  std::uint32_t round_members_most = 0;
  // The longest time between two updates of a worker.
  double longest_silence_s = 0;
  double staged_most_bytes = 0;  // Maximum at one aggregator.
  double divergence_most = 0;    // Maximum of the true divergence over all events.
  std::vector<std::string> violations{};
  std::vector<std::string> log{};
};

[[nodiscard]] SimulationResult simulate(const SimulationOptions& options);

}  // namespace surety::bench::sim
