#include "bench/fabric_sim/round_loads.h"

#include <algorithm>
#include <map>

#include "test/support/fabric/network/flows.h"

namespace surety::bench::sim {
namespace {

using namespace fabric;
using surety::sim::Link;
using surety::sim::LinkLoad;

std::vector<LinkLoad> loads_of(const World& world, const std::vector<Flow>& flows) {
  std::map<Link, double> loads;
  for (const Flow& flow : flows) {
    loads[{Link::Kind::kOut, flow.from.value}] += flow.fraction;
    loads[{Link::Kind::kIn, flow.to.value}] += flow.fraction;
    const std::uint32_t from = world.rack_of(flow.from.value);
    const std::uint32_t to = world.rack_of(flow.to.value);
    if (from == to) continue;
    loads[{Link::Kind::kRackOut, from}] += flow.fraction;
    loads[{Link::Kind::kRackIn, to}] += flow.fraction;
  }
  std::vector<LinkLoad> list;
  for (const auto& [link, per_byte] : loads) list.push_back({link, per_byte});
  return list;
}

}  // namespace

std::vector<LinkLoad> loads_of_round(const World& world, const Grant& grant,
                                     std::span<const Share> owners) {
  return loads_of(world, flows_of({grant.direction, grant.members, {}, owners}, grant.plan));
}

std::vector<LinkLoad> loads_of_move(const World& world, std::span<const Share> before,
                                    std::span<const Share> after) {
  std::vector<Flow> flows;
  double old_begin = 0;
  for (const Share& old : before) {
    double new_begin = 0;
    for (const Share& next : after) {
      const double overlap = std::min(old_begin + old.fraction, new_begin + next.fraction) -
                             std::max(old_begin, new_begin);
      // Less than this is a rounding error.
      if (overlap > 1e-9 && old.worker != next.worker)
        flows.push_back({old.worker, next.worker, overlap});
      new_begin += next.fraction;
    }
    old_begin += old.fraction;
  }
  return loads_of(world, flows);
}

}  // namespace surety::bench::sim
