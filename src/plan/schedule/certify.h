// How much of the printed probability the profile supports.
//
// The chosen schedule is simulated on laws that the profile cannot tell from the fitted ones
// (posterior_draws); the (1 - confidence)-quantile of those probabilities is the lower bound
// (percentile margin). It needs the parametric laws to hold; the seeds themselves set another limit
// (plan/support.h).
#pragma once

#include "plan/problem/problem.h"
#include "plan/schedule/pipeline.h"

namespace surety::plan {

// REQUIRES: the solution is one of this problem and goal. O(draws * runs * passes).
[[nodiscard]] double percentile_probability(const Problem& problem, const Goal& goal,
                                            double confidence, const Solution& solution);

}  // namespace surety::plan
