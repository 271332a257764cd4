// The profile of a study, as a job's profile stage would measure it: every version from every seed,
// the jumps at the end of each run, pass times by the virtual clock.
#pragma once

#include "base/result.h"
#include "plan/profile.h"
#include "study.h"
#include "trajectories.h"

namespace surety::bench {

// Seeds 1 to study.profile_seeds, paired across versions. At the end of a full run its model is
// pruned to each version, at the end of a pruned run it is grown to full.
[[nodiscard]] Result<plan::Profile> measure_profile(const Study& study, Trajectories& trajectories);

}  // namespace surety::bench
