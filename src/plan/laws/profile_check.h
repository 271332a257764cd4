// Whether a profile has what a fit of laws needs.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "plan/laws/profile_runs.h"
#include "plan/profile.h"

namespace surety::plan {

// Errors: InvalidInput, with what to measure: no curve; a version without a curve or with a single
// pass; numbers that are not finite, negative times, fractions outside (0, 1], or points given
// twice.
[[nodiscard]] Result<void> check_profile(const std::vector<std::string>& versions,
                                         const Profile& profile);

// The data fractions that every version was profiled on, ascending.
[[nodiscard]] std::vector<double> data_fractions(const std::vector<std::string>& versions,
                                                 const std::vector<ProfileRun>& runs);

}  // namespace surety::plan
