#include "test/support/sim/network/reference_flows.h"

#include <algorithm>
#include <limits>
#include <set>

#include "sim/network/fluid.h"

namespace surety::sim {
namespace {

using Kind = Link::Kind;

constexpr double kMB = 1e6;

FlowNetwork ports(std::string name, std::vector<double> mb_per_s) {
  FlowNetwork network{.name = std::move(name),
                      .hosts = static_cast<std::uint32_t>(mb_per_s.size()),
                      .racks = 2,
                      .bytes_per_s = {},
                      .flows = {}};
  for (std::uint32_t host = 0; host < network.hosts; ++host) {
    network.bytes_per_s[{Kind::kOut, host}] = mb_per_s[host] * kMB;
    network.bytes_per_s[{Kind::kIn, host}] = mb_per_s[host] * kMB;
  }
  return network;
}

void add(FlowNetwork& network, std::uint32_t from, std::uint32_t to, double mb, double start_s,
         const std::vector<Link>& core = {}) {
  Flow flow{.path = {{Kind::kOut, from}}, .bytes = mb * kMB, .start_s = start_s};
  flow.path.insert(flow.path.end(), core.begin(), core.end());
  flow.path.push_back({Kind::kIn, to});
  network.flows.push_back(std::move(flow));
}

FlowNetwork star() {
  FlowNetwork network = ports("star", {100, 50, 25, 100, 100});
  add(network, 0, 1, 100, 0);
  add(network, 0, 2, 100, 0);
  add(network, 3, 1, 50, 0);
  add(network, 3, 4, 200, 0);
  add(network, 2, 4, 30, 0);
  add(network, 4, 0, 80, 0);
  return network;
}

FlowNetwork backbone() {
  FlowNetwork network = ports("backbone", {100, 100, 100, 10, 100, 100});
  const Link shared{Kind::kRackOut, 0};
  network.bytes_per_s[shared] = 120 * kMB;
  add(network, 0, 1, 100, 0, {shared});
  add(network, 2, 3, 20, 0, {shared});
  add(network, 4, 5, 60, 0, {shared});
  add(network, 1, 4, 90, 0, {shared});
  return network;
}

// Hosts 0 to 2 are in rack 0, 3 to 5 in rack 1. The rate of the core is half of the total rate of
// the hosts in a rack.
FlowNetwork racks(std::string name, double stagger_s) {
  FlowNetwork network = ports(std::move(name), {100, 100, 100, 100, 100, 100});
  for (const std::uint32_t rack : {0u, 1u}) {
    network.bytes_per_s[{Kind::kRackOut, rack}] = 150 * kMB;
    network.bytes_per_s[{Kind::kRackIn, rack}] = 150 * kMB;
  }
  const std::vector<Link> up{{Kind::kRackOut, 0}, {Kind::kRackIn, 1}};
  const std::vector<Link> down{{Kind::kRackOut, 1}, {Kind::kRackIn, 0}};
  add(network, 0, 3, 100, 0, up);
  add(network, 1, 4, 150, 1 * stagger_s, up);
  add(network, 2, 5, 50, 2 * stagger_s, up);
  add(network, 0, 1, 80, 3 * stagger_s);
  add(network, 3, 2, 70, 4 * stagger_s, down);
  add(network, 4, 5, 120, 5 * stagger_s);
  return network;
}

}  // namespace

std::vector<FlowNetwork> reference_flows() {
  return {star(), backbone(), racks("racks", 0), racks("staggered", 0.3)};
}

std::vector<double> finish_times(const FlowNetwork& network) {
  FluidNetwork fluid(network.hosts, network.racks);
  for (const auto& [link, rate] : network.bytes_per_s) fluid.set_capacity(link, rate);
  std::vector<double> ends(network.flows.size(), -1);
  std::map<JobId, std::size_t> flow_of;
  std::set<std::pair<double, std::size_t>> starts;
  for (std::size_t i = 0; i < network.flows.size(); ++i) {
    starts.emplace(network.flows[i].start_s, i);
  }
  double now_s = 0;
  while (!starts.empty() || fluid.jobs() > 0) {
    const double never_s = std::numeric_limits<double>::infinity();
    const double start_s = starts.empty() ? never_s : starts.begin()->first - now_s;
    const double step_s = std::min(start_s, fluid.next_end_s().value_or(never_s));
    for (const JobId job : fluid.advance(step_s)) ends[flow_of.at(job)] = now_s + step_s;
    now_s += step_s;
    while (!starts.empty() && starts.begin()->first <= now_s) {
      const Flow& flow = network.flows[starts.begin()->second];
      std::vector<LinkLoad> loads;
      for (const Link& link : flow.path) loads.push_back({link, 1});
      flow_of[fluid.start(loads, flow.bytes)] = starts.begin()->second;
      starts.erase(starts.begin());
    }
  }
  return ends;
}

}  // namespace surety::sim
