// Measures the rise of the loss when a trained network changes to another version, before it learns
// with that version.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "jitter.h"

namespace surety::bench {

// The losses of one seed, at one switch from the full version.
struct Jump {
  double before = 0;  // Validation loss of the average of models, which a job evaluates.
  double cut = 0;     // Loss after a plain cut without compensation: the rival.
  // Loss after the compensation: the average of the workers' updates without a step of learning.
  double after = 0;
  double after_pass = 0;      // Loss after the compensation and one more pass.
  double cut_after_pass = 0;  // Loss after the plain cut and one more pass.
  double chance = 0;          // Loss of a network that has learned nothing: log(classes).

  // The rise as a share of the learned improvement: 0 if nothing is lost, 1 if all is lost.
  [[nodiscard]] static double share(double before, double after, double chance) {
    return (after - before) / (chance - before);
  }
};

struct JumpCase {
  JitterCase training;                // The same training as for the jitter of the average.
  std::vector<std::uint32_t> passes;  // Passes of the full version before the switch, ascending.
  std::string to = "prune:0.5";
};

// Measures the jumps of seeds 1 to `seeds`, for each of the passes.
[[nodiscard]] Result<std::vector<std::vector<Jump>>> measure_jumps(const JumpCase& spec,
                                                                   const std::string& folder,
                                                                   std::uint32_t seeds);

}  // namespace surety::bench
