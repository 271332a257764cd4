// A scenario is one text: a simulated cluster, its faults, and the time line that results.
//
//   # Two workers become sixteen.
//   nodes 2
//   at 4: 14 times join
//   on "phase: train" + 0.5: coordinator crash
//   ---
//        0.000 s  phase: gather
//
// Above the line there are settings, one per line (below), and faults by their names
// (sim/faults/faults.h) with their targets: `node 3`, `nodes 3-16`, `rack 1`, `and 2` (the other
// end of a cut; 0: the coordinator), `for 8` (seconds), `size 10` (of a slow-down, for example).
// Below the line there is the complete log of the run.
//
//   nodes, racks, seed, passes, samples_per_s
//   mode train|run    fixed settings (the default), or measured and planned
//   target, deadline_s, probability
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "sim/cluster/cluster.h"

namespace surety::sim {

struct Scenario {
  std::string script;    // All text above the line.
  SimOptions options;    // A small network that learns by a law.
  std::string expected;  // All text below the line.
};

// InvalidInput, with name and line, for text that is not a valid scenario.
[[nodiscard]] Result<Scenario> read_scenario(const std::string& name, std::string_view text);

// Runs the scenario. Returns its log and, at the end, the result of the run.
[[nodiscard]] std::string run_scenario(const Scenario& scenario);

// The scenario with `ending` below its line.
[[nodiscard]] std::string with_ending(const Scenario& scenario, const std::string& ending);

}  // namespace surety::sim
