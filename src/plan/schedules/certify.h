// The part of the printed probability that the profile supports.
//
// The chosen schedule is simulated on laws that the profile cannot distinguish from the fitted ones
// (posterior_draws). The (1 - confidence)-quantile of these probabilities is the lower bound
// (percentile margin). It requires that the parametric laws hold. The number of seeds sets another
// limit (plan/support.h).
#pragma once

#include "plan/problem/problem.h"
#include "plan/schedules/pipeline.h"

namespace surety::plan {

// REQUIRES: the solution belongs to this problem and goal. O(draws * runs * passes).
[[nodiscard]] double percentile_probability(const Problem& problem, const Goal& goal,
                                            double confidence, const Solution& solution);

// The lower bound of the plan's probability: its percentile_probability(), limited by the number of
// seeds of the laws.
[[nodiscard]] double supported_probability(double percentile, const Laws& laws);

}  // namespace surety::plan
