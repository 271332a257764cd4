// The frontier of success probability and cost: what a promise costs at least.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/process/cmdp.h"

namespace surety::plan {

// A point of the frontier: the best policy for one lambda, from the best of the starts.
struct FrontierPoint {
  double lambda = 0, probability = 0, cost = 0;
};

// The part of the lower convex hull of (P, C) over lambda that is around `omega`; 6 to 24 sweeps
// (docs/theory.md, section 7.1).
struct Hull {
  bool feasible = false;    // Else `high` has the highest probability in reach.
  FrontierPoint low, high;  // low.probability <= omega <= high.probability.
  // Cost of the randomised optimum, which mixes the two: what the LP in occupation measures finds.
  double cost_at_omega = 0;
  std::uint32_t sweeps = 0;
};
[[nodiscard]] Hull hull(const Mdp& mdp, const std::vector<MdpStart>& starts, double omega,
                        const MaxSuccess* mask, const MaskOptions& options);

}  // namespace surety::plan
