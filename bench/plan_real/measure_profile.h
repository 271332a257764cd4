// The profile of a study, as a job's profile stage would measure it: every version from every seed,
// pass times by the virtual clock, and what a change of version does to the metric.
//
// A change that is measured at once, as the stage does, says that the loss goes up ten times: the
// channels that come back were never trained. One pass later that is forgotten. So it is measured a
// second time, by the pass after it: from where on the new version's own course would one pass have
// led to the same metric?
#pragma once

#include <vector>

#include "base/result.h"
#include "plan/profile.h"
#include "study.h"
#include "trajectories.h"

namespace surety::bench {

struct RealProfile {
  plan::Profile profile;  // Its switches are measured at once, at the end of each run.
  // In the middle of each pruned run, to all versions that are pruned less.
  std::vector<plan::SwitchPoint> after_a_pass;
};

// Seeds 1 to study.profile_seeds, paired across versions.
[[nodiscard]] Result<RealProfile> measure_profile(const Study& study, Trajectories& trajectories);

// The metric from which one pass along `curve` leads to `metric`; curve[k] is what it falls to in k
// passes, and where it rises it is taken to stay. Not above curve[0], not below what is one pass
// from its end. REQUIRES: at least two points. O(points).
[[nodiscard]] double one_pass_before(const std::vector<double>& curve, double metric);

}  // namespace surety::bench
