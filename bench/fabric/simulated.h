// The test bed in simulated time. The same exchange, lanes and scheduler carry out the same jobs,
// over fluid links instead of shaped ones (bench/fabric_sim/fluid_transport.h).
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/result.h"
#include "bench/fabric/script.h"
#include "bench/fabric_sim/fluid_transport.h"
#include "fabric/network/port.h"

namespace surety::bench {

struct SimulatedOptions {
  sim::FluidLinkOptions link{};
  double burst_bytes = 64 * 1024;  // Burst of a link's shaper (network.cc).
  double line_bytes_per_s = 1e9;   // Rate at which a burst passes: that of a link without a shaper.
  // Seconds of a host's processor for each message that it receives or has sent. The hosts of
  // async16 use 7 s for 66,000 messages.
  double message_cpu_s = 1e-4;
};

// Rates of ports by host. Other ports have the rates of the world.
using Ports = std::map<std::uint32_t, fabric::Port>;

// Simulates a job of training.h whose way is the exchange. Returns the answers of all hosts, as
// Cluster::train() does.
[[nodiscard]] Result<std::vector<nlohmann::json>> simulate_training(
    const nlohmann::json& job, const Ports& ports = {}, const SimulatedOptions& options = {});

// Simulates a job of lane_job.h and checks the sums. Returns its seconds.
[[nodiscard]] Result<double> simulate_lanes(const nlohmann::json& job,
                                            const sim::WorldOptions& world, const Ports& ports,
                                            const SimulatedOptions& options = {});

}  // namespace surety::bench
