// Small networks with flows whose finish times were also computed by another simulator.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/network/link.h"

namespace surety::sim {

struct Flow {
  // A byte of the flow loads each of these links with one byte.
  std::vector<Link> path;
  double bytes = 0;
  double start_s = 0;
};

struct FlowNetwork {
  std::string name;
  std::uint32_t hosts = 0;
  std::uint32_t racks = 0;
  std::map<Link, double> bytes_per_s;
  std::vector<Flow> flows;
};

// A star, a backbone that all share, two racks with an oversubscribed core, and the same racks with
// flows that start one after another.
[[nodiscard]] std::vector<FlowNetwork> reference_flows();

// Seconds at which each flow ends, computed with the network of sim/network/fluid.h.
[[nodiscard]] std::vector<double> finish_times(const FlowNetwork& network);

}  // namespace surety::sim
