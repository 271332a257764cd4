// bench_simgrid: compares the finish times of a few flows on a few networks, by SimGrid and by our
// simulator. Exits with 1 if they differ by more than a millionth. It is built if SimGrid
// (libsimgrid-dev) is found.
//
// SimGrid's model is CM02 without its corrections for TCP: plain max-min fairness. The weight of a
// flow is its latency there. So every flow has the same latency, that of its first link, which is
// too small to matter.
//
// Flows use full updates. With lazy updates, the default, SimGrid 3.32 ends one of the star's flows
// after 1.6 s, although its 100 MB have to cross a link of 25 MB/s.
#include <fmt/format.h>

#include <cmath>
#include <simgrid/s4u.hpp>

#include "test/support/sim/network/reference_flows.h"

namespace {

namespace sg = simgrid::s4u;
using surety::sim::FlowNetwork;
using surety::sim::Link;

constexpr double kLatencyS = 1e-9;
constexpr double kTolerance = 1e-6;

// Each flow has its own pair of hosts, because routes belong to pairs.
void build(const FlowNetwork& network, sg::NetZone* zone) {
  std::map<Link, sg::Link*> links;
  for (const auto& [link, rate] : network.bytes_per_s) {
    const std::string name =
        fmt::format("{}-{}-{}", network.name, static_cast<int>(link.kind), link.index);
    const bool is_first = link.kind == Link::Kind::kOut;
    links[link] = zone->create_link(name, rate)->set_latency(is_first ? kLatencyS : 0)->seal();
  }
  for (std::size_t i = 0; i < network.flows.size(); ++i) {
    sg::Host* from = zone->create_host(fmt::format("{}-from-{}", network.name, i), 1e9)->seal();
    sg::Host* to = zone->create_host(fmt::format("{}-to-{}", network.name, i), 1e9)->seal();
    std::vector<sg::LinkInRoute> path;
    for (const Link& link : network.flows[i].path) path.emplace_back(links.at(link));
    zone->add_route(from->get_netpoint(), to->get_netpoint(), nullptr, nullptr, path, false);
  }
}

void flow(const FlowNetwork& network, std::size_t i, double& end) {
  sg::Host* from = sg::Host::by_name(fmt::format("{}-from-{}", network.name, i));
  sg::Host* to = sg::Host::by_name(fmt::format("{}-to-{}", network.name, i));
  const auto& what = network.flows[i];
  sg::Actor::create(fmt::format("flow-{}", i), from, [from, to, what, &end] {
    sg::this_actor::sleep_for(what.start_s);
    sg::Comm::sendto(from, to, static_cast<std::uint64_t>(what.bytes));
    end = sg::Engine::get_clock();
  });
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> words(argv, argv + argc);
  for (const char* setting :
       {"network/model:CM02", "network/crosstraffic:0", "network/TCP-gamma:0", "network/weight-S:0",
        "network/optim:Full", "network/latency-factor:1", "network/bandwidth-factor:1",
        "maxmin/precision:1e-12", "surf/precision:1e-12"}) {
    words.push_back(fmt::format("--cfg={}", setting));
  }
  words.emplace_back("--log=root.thresh:error");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  int count = static_cast<int>(arguments.size());
  sg::Engine engine(&count, arguments.data());

  const std::vector<FlowNetwork> networks = surety::sim::reference_flows();
  std::map<std::string, std::vector<double>> theirs;
  sg::NetZone* zone = sg::create_full_zone("all");
  for (const FlowNetwork& network : networks) build(network, zone);
  zone->seal();
  for (const FlowNetwork& network : networks) {
    std::vector<double>& ends = theirs[network.name];
    ends.resize(network.flows.size());
    for (std::size_t i = 0; i < ends.size(); ++i) flow(network, i, ends[i]);
  }
  engine.run();
  bool same = true;
  for (const FlowNetwork& network : networks) {
    const std::vector<double> ours = surety::sim::finish_times(network);
    for (std::size_t i = 0; i < ours.size(); ++i) {
      const double other = theirs.at(network.name)[i];
      fmt::print("{:10} flow {}: SimGrid {:.9f} s, ours {:.9f} s\n", network.name, i, other,
                 ours[i]);
      same = same && std::abs(other - ours[i]) <= kTolerance * ours[i];
    }
  }
  return same ? 0 : 1;
}
