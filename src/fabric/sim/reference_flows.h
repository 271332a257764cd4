// Small networks with flows whose finish times another simulator has computed as well.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fabric/core/shares.h"

namespace surety::fabric::sim {

struct Flow {
  std::vector<Resource> path;  // Each used in full: a byte of the flow is a byte there.
  double bytes = 0;
  double start_s = 0;
};

struct FlowNetwork {
  std::string name;
  std::uint32_t hosts = 0, racks = 0;
  std::map<Resource, double> bytes_per_s;
  std::vector<Flow> flows;
};

// A star, a backbone that all share, two racks with an oversubscribed core, and the racks with
// flows that start one after the other.
[[nodiscard]] std::vector<FlowNetwork> reference_flows();

// Seconds at which each flow ends, as fluid.h shares the network out.
[[nodiscard]] std::vector<double> finish_times(const FlowNetwork& network);

}  // namespace surety::fabric::sim
