// A backward sweep over a decision process (plan/decision/cmdp.h) that finds more than the planner
// needs: the success probability and the cost of the best policy. It follows the definition, and
// shares no code with next_pass_values().
#pragma once

#include "plan/decision/cmdp.h"

namespace surety::plan {

// Results for the best action at (tick, variant, level), and for each next pass at (tick, next
// pass, level). The value is cost - lambda * probability.
struct Sweep {
  Table probability;
  Table cost;
  Table next_pass_probability;
  Table next_pass_cost;
};

// Minimises cost - lambda * success among admissible actions. Without a mask all are admissible.
// Ties: stop first, then the pass of the same variant, then the order of the switches.
[[nodiscard]] Sweep sweep(const Mdp& mdp, double lambda, const MaxSuccess* mask,
                          const MaskOptions& options);

}  // namespace surety::plan
