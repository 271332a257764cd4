// The frontier of success probability and cost: the least cost of a promise.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/decision/cmdp.h"

namespace surety::plan {

// A point of the frontier: the best policy for one lambda, with the best start.
struct FrontierPoint {
  double lambda = 0;
  double probability = 0;
  double cost = 0;
};

// The part of the lower convex hull of (P, C) over lambda that is around `omega`. Needs 6 to 24
// sweeps (docs/theory.md, section 7.1).
struct Hull {
  bool is_feasible = false;  // If false, `high` has the highest probability that can be reached.
  FrontierPoint low;         // low.probability <= omega.
  FrontierPoint high;        // omega <= high.probability.
  // Cost of the randomised optimum, a mixture of both points. It equals the result of the linear
  // program in occupation measures.
  double cost_at_omega = 0;
  std::uint32_t sweeps = 0;
};
[[nodiscard]] Hull hull(const Mdp& mdp, const std::vector<MdpStart>& starts, double omega,
                        const MaxSuccess* mask, const MaskOptions& options);

}  // namespace surety::plan
