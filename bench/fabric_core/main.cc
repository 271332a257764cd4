#include <fmt/format.h>
#include "fabric/sim/simulation.h"
#include <cstdlib>
using namespace surety::fabric; using namespace surety::fabric::sim;
int main(int argc, char** argv) {
  const unsigned n = argc > 1 ? unsigned(atoi(argv[1])) : 8;
  const int only = argc > 2 ? atoi(argv[2]) : -1;
  for (int sc = 0; sc < 5; ++sc) { if (only >= 0 && sc != only) continue;
    for (unsigned S : {1u, 4u, 0u}) for (int mode = 0; mode < 3; ++mode) {
      SimulationOptions o; o.world.scenario = kScenarios[sc]; o.world.workers = n; o.world.servers = S;
      o.classes = S == 1 ? 1 : 4; o.blocks = 64;
      if (mode == 1) o.quorum.mode = TrainMode::kSync;
      if (mode == 2) { o.quorum = {TrainMode::kBatch, n / 3}; o.local_steps_max = 8; }
      auto r = simulate(o);
      fmt::print("n={} {} S={} {}: {:.1f}/s ({:.1f} g) stale {:.1f} max {} aborts {} rounds {} silence {:.1f} reserved {:.3f} viol {}\n", n, kScenarios[sc].name, S, mode==0?"async":mode==1?"sync":"local-q", r.updates_per_s, r.steps_per_s, r.staleness_mean, r.staleness_most, r.aborts, r.rounds, r.longest_silence_s, r.reserved_most, r.violations.size());
      if (!r.violations.empty()) fmt::print("   {}\n", r.violations[0]);
      fflush(stdout);
    } }
}
