// The profile of a study, as a job's profile stage would measure it: curves of every version for
// every seed, pass times of the virtual clock, and the effect of a change of version on the metric.
#pragma once

#include <string>

#include "base/result.h"
#include "bench/studies/study.h"
#include "bench/studies/trajectories.h"
#include "plan/profile.h"

namespace surety::bench {

// Measures seeds 1 to study.profile_seeds, the same for all versions.
[[nodiscard]] Result<plan::Profile> measure_profile(const Study& study, Trajectories& trajectories);

// The number of passes after which half of the seeds have reached this metric, with linear
// interpolation between passes. Seeds that never reach it count as infinite. InvalidInput if fewer
// than half reach it.
[[nodiscard]] Result<double> median_passes_to(double metric, const std::string& version,
                                              const plan::Profile& profile);

}  // namespace surety::bench
