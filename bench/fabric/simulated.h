// The test bed in simulated time: the same jobs, carried out by the same exchange, lanes and
// scheduler, over fluid links instead of shaped ones (fabric/sim/fluid_transport.h).
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/result.h"
#include "bench/fabric/script.h"
#include "fabric/sim/fluid_transport.h"

namespace surety::bench {

struct SimulatedOptions {
  fabric::sim::FluidLinkOptions link{};
  double burst_bytes = 64 * 1024;  // Of a link's shaper (network.cc)...
  double line_bytes_per_s = 1e9;   // ...which passes them so fast: a link that is not shaped.
  // What a message that was heard, or has left, takes of its host's processor: the hosts of async16
  // use 7 s for 66,000 of them.
  double message_cpu_s = 1e-4;
};

// Ports have their rates of the world, or these, by host.
using Ports = std::map<std::uint32_t, fabric::Port>;

// A job of training.h in the exchange's way; answers of all hosts, as Cluster::train().
[[nodiscard]] Result<std::vector<nlohmann::json>> simulate_training(
    const nlohmann::json& job, const Ports& ports = {}, const SimulatedOptions& options = {});

// Seconds of a job of lane_job.h, checked.
[[nodiscard]] Result<double> simulate_lanes(const nlohmann::json& job,
                                            const fabric::sim::WorldOptions& world,
                                            const Ports& ports,
                                            const SimulatedOptions& options = {});

}  // namespace surety::bench
