// Laws other than the fitted ones that the same profile supports.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plan/laws/profile_fit.h"
#include "plan/laws/profile_runs.h"
#include "plan/profile.h"
#include "plan/types.h"

namespace surety::plan {

// Laws that the profile cannot distinguish from `laws`. For shapes and noise, the seeds of each
// law that were not stuck are drawn again with replacement, as many as it has. Laws with the same
// seeds draw the same ones, because seeds are paired. The run effect is drawn by pivots. Let V be
// the variance of the log rates of the S seeds of a law, and d = S - 1. The variance is drawn as V*
// = V d / chi2_d. The mean log rate is drawn as N(0, V* / S), and replaces that of the drawn seeds.
// If k > 0 seeds were stuck, the share of stuck runs is drawn from Jeffreys' Beta(k + 1/2, S - k +
// 1/2). The limits of support do not change.
//
// Few seeds give few different draws: with three, the result is a hint, not a guarantee.
// `seeds_factor`: draws as if the profile had this many times its seeds, to find how many would
// suffice.
[[nodiscard]] std::vector<Laws> posterior_draws(const std::vector<std::string>& versions,
                                                const std::vector<ProfileRun>& runs,
                                                const std::vector<SwitchPoint>& switches,
                                                const Laws& laws, const FitOptions& options,
                                                std::uint32_t draws, std::uint64_t seed,
                                                std::uint32_t seeds_factor = 1);

}  // namespace surety::plan
