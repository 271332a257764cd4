// A story: a simulated cluster, what befalls it, and the time line that comes of it, as one text.
//
//   # Two workers become sixteen.
//   nodes 2
//   at 4: 14 times join
//   on "phase: train" + 0.5: coordinator crash
//   ---
//        0.000 s  phase: gather
//
// Above the line: settings, one a line (below), and faults by their names (faults.h) with what they
// befall: `node 3`, `nodes 3-16`, `rack 1`, `and 2` (the other end of a cut; 0: the coordinator),
// `for 8` (seconds), `size 10` (of a slow-down, say). Below it: what the run says, to its end.
//
//   nodes, racks, seed, passes, samples_per_s
//   mode train|run    by hand (the default), or measured and planned
//   target, deadline_s, probability
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "sim/cluster.h"

namespace surety::sim {

struct Story {
  std::string told;      // All that is above the line.
  SimOptions options;    // A small network that learns by a law.
  std::string expected;  // Below it.
};

// InvalidInput, with name and line, for what no story can say.
[[nodiscard]] Result<Story> read_story(const std::string& name, std::string_view text);

// Runs it. What it says, and at the end what became of the run.
[[nodiscard]] std::string tell(const Story& story);

// The story with that below its line.
[[nodiscard]] std::string with_ending(const Story& story, const std::string& ending);

}  // namespace surety::sim
