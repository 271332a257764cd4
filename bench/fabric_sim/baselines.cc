#include "bench/fabric_sim/baselines.h"

#include <algorithm>
#include <map>

#include "bench/fabric_sim/simulation_clock.h"

namespace surety::bench::sim {
namespace {

using namespace surety::sim;

using Kind = Link::Kind;

struct Way {
  std::uint32_t worker = 0;
  bool push = true;
};

}  // namespace

double naive_server(const BaselineOptions& options) {
  WorldOptions given = options.world;
  given.servers = 1;
  World world(given);
  SimulationClock clock(world);
  std::map<JobId, Way> flows;
  double updates = 0;
  const auto flow = [&](Way way) {
    const std::uint32_t server = given.workers;
    const std::vector<LinkLoad> loads = {{{Kind::kOut, way.push ? way.worker : server}, 1},
                                         {{Kind::kIn, way.push ? server : way.worker}, 1}};
    flows[clock.network().start(loads, options.model_bytes)] = way;
  };
  const auto compute = [&](std::uint32_t w) {
    clock.after(world.step_s(w) + kMessage_s, [&flow, w] { flow({w, true}); });
  };
  for (std::uint32_t w = 0; w < given.workers; ++w) flow({w, false});
  clock.run(options.warm_up_s + options.horizon_s, [&](JobId job) {
    const Way way = flows.at(job);
    flows.erase(job);
    if (!way.push) return compute(way.worker);
    if (clock.now_s() >= options.warm_up_s) updates += 1;
    flow({way.worker, false});
  });
  return updates / options.horizon_s;
}

double ring(const BaselineOptions& options) {
  WorldOptions given = options.world;
  given.servers = 0;
  World world(given);
  SimulationClock clock(world);
  const double n = given.workers;
  std::vector<LinkLoad> loads;
  for (std::uint32_t h = 0; h < given.workers; ++h) {
    loads.push_back({{Kind::kOut, h}, 2 * (n - 1) / n});
    loads.push_back({{Kind::kIn, h}, 2 * (n - 1) / n});
  }
  for (std::uint32_t r = 0; r < world.racks() && world.racks() > 1; ++r) {
    // A ring in order of racks enters and leaves each rack once.
    loads.push_back({{Kind::kRackOut, r}, 2 * (n - 1) / n});
    loads.push_back({{Kind::kRackIn, r}, 2 * (n - 1) / n});
  }
  double updates = 0;
  const auto compute = [&] {
    double slowest_s = 0;
    for (std::uint32_t w = 0; w < given.workers; ++w) {
      slowest_s = std::max(slowest_s, world.step_s(w));
    }
    // Each of the 2 (n - 1) steps of the ring is a message.
    clock.after(slowest_s + 2 * (n - 1) * kMessage_s,
                [&] { clock.network().start(loads, options.model_bytes); });
  };
  compute();
  clock.run(options.warm_up_s + options.horizon_s, [&](JobId) {
    if (clock.now_s() >= options.warm_up_s) updates += n;
    compute();
  });
  return updates / options.horizon_s;
}

}  // namespace surety::bench::sim
