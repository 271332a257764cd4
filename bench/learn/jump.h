// What the loss jumps by when a trained network goes over to another version, before anything is
// learned behind the switch.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "jitter.h"

namespace surety::bench {

// Of one seed, at one switch from the full version.
struct Jump {
  double before = 0;  // Validation loss of the average of models, which is what a job evaluates.
  double cut = 0;     // As cut, nothing compensated: the rival.
  double after = 0;   // Compensated: the workers' updates of no step, averaged.
  double after_pass = 0;      // And after one pass more.
  double cut_after_pass = 0;  // The same from the network as cut.
  double chance = 0;          // Of a network that knows nothing: log(classes).

  // The rise over what was learned: 0 where nothing is lost, 1 where all is.
  [[nodiscard]] static double share(double before, double after, double chance) {
    return (after - before) / (chance - before);
  }
};

struct JumpCase {
  JitterCase training;                // As for the jitter of the average.
  std::vector<std::uint32_t> passes;  // Of the full version before the switch, rising.
  std::string to = "prune:0.5";
};

// For each of the passes, the jumps of seeds 1 to `seeds`.
[[nodiscard]] Result<std::vector<std::vector<Jump>>> measure_jumps(const JumpCase& spec,
                                                                   const std::string& folder,
                                                                   std::uint32_t seeds);

}  // namespace surety::bench
