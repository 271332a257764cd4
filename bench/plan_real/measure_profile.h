// The profile of a study, as a job's profile stage would measure it: every version from every seed,
// pass times by the virtual clock, and what a change of version does to the metric.
#pragma once

#include <string>

#include "base/result.h"
#include "bench/studies/study.h"
#include "bench/studies/trajectories.h"
#include "plan/profile.h"

namespace surety::bench {

// Seeds 1 to study.profile_seeds, paired across versions.
[[nodiscard]] Result<plan::Profile> measure_profile(const Study& study, Trajectories& trajectories);

// Passes after which half of the seeds have shown this metric, between passes linearly; seeds that
// never show it count as infinite. InvalidInput where fewer than half do.
[[nodiscard]] Result<double> median_passes_to(double metric, const std::string& version,
                                              const plan::Profile& profile);

}  // namespace surety::bench
