// How much of the printed probability the profile supports.
//
// The chosen schedule is simulated on laws that the profile cannot tell from the fitted ones
// (posterior_draws); the (1 - confidence)-quantile of those probabilities is the lower bound
// (percentile margin). It needs the parametric laws to hold. No law says anything of a kind of run
// that no seed has shown, so the seeds themselves set a limit.
#pragma once

#include "plan/problem/problem.h"
#include "plan/schedule/pipeline.h"

namespace surety::plan {

// REQUIRES: the solution is one of this problem and goal. O(draws * runs * passes).
// At most most_supported() (plan/support.h).
[[nodiscard]] double lower_probability(const Problem& problem, const Goal& goal, double confidence,
                                       const Solution& solution);

}  // namespace surety::plan
