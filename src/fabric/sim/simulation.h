// A training job on the fluid network, driven by the scheduler that the real runtime has.
//
// Workers compute, push, wait and pull (or, with overlap, compute on); rounds are jobs of the
// network with the loads of their plans, weighted by their planned rates. Bandwidth samples are the
// true capacity of each port that a round touches, every 20 ms at most, with 15 % of noise. What is
// not modelled: latency inside a round (2 % of bytes are charged), processors, loss.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fabric/core/scheduler.h"
#include "fabric/sim/scenario.h"

namespace surety::fabric::sim {

struct SimulationOptions {
  WorldOptions world{};  // 0 servers: the workers' hosts own the parameters, evenly.
  QuorumOptions quorum{};
  std::uint32_t local_steps_max = 0;  // Above 0: overlap of compute and transfer.
  std::uint32_t blocks = 32;
  double model_bytes = 100e6;
  std::uint32_t classes = 4;
  std::uint64_t staleness_max = 0;
  std::uint32_t drops_in_a_row = 1;
  std::uint32_t members_max = 0;
  bool aggregate = true;
  double aggregator_bytes = 64e6;
  ReplicationOptions replication{};  // With one, a further host is the replica of all owners.
  double warm_up_s = 5;
  double horizon_s = 30;    // After the warm-up.
  double losses_per_s = 0;  // Of workers' hosts, each for a second.
  bool keep_log = false;
};

struct SimulationResult {
  double updates_per_s = 0, steps_per_s = 0;  // Of updates complete after the warm-up.
  double staleness_mean = 0, read_to_commit_s = 0;
  std::uint64_t staleness_most = 0;
  std::uint64_t updates = 0, drops = 0, aborts = 0, rounds = 0, shipments = 0;
  std::uint32_t round_members_most = 0;
  double longest_silence_s = 0;  // Of a worker that was there: between two of its updates.
  double reserved_most = 0;      // Of any port, over its estimate, right after a grant.
  double staged_most_bytes = 0;  // At one aggregator.
  double divergence_most = 0;    // True, at any event.
  std::vector<std::string> violations{};
  std::vector<std::string> log{};
};

[[nodiscard]] SimulationResult simulate(const SimulationOptions& options);

}  // namespace surety::fabric::sim
