// From measurements to laws: how each version learns, how runs differ, what switches and passes
// cost.
//
// Steps, per data fraction: the curve of each version on the median over seeds (curve_fit.h); each
// seed's rate; run effect by random effects over the paired seeds, pooled over versions; noise of a
// single pass by moments, from increments that are never clipped (clipping negative ones makes
// every run look faster than it is); switch jumps and durations as lognormals.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "plan/profile.h"
#include "plan/types.h"

namespace surety::plan {

struct FitOptions {
  bool floor_zero = false;        // A duality gap falls to 0.
  double run_effect_alone = 0.2;  // Where one seed says nothing of how runs differ.
  double noise_default = 0.3;     // Of a pass, where too few points say anything.
  // A switch that nobody measured: conservative, a fifth worse than before.
  double jump_default = 0.2, jump_sd_default = 0.2;
};

// InvalidInput, with what to measure: no curve; a version without a curve or with a single pass;
// numbers that are not finite, negative times, fractions outside (0, 1], points given twice.
[[nodiscard]] Result<void> check_profile(const std::vector<std::string>& versions,
                                         const Profile& profile);

// The data fractions that every version was profiled on, ascending.
[[nodiscard]] std::vector<double> data_fractions(const std::vector<std::string>& versions,
                                                 const Profile& profile);

// REQUIRES: check_profile() passed; `fraction` is one of data_fractions(). The order of the rows
// does not matter. O(versions * seeds * passes * grid).
[[nodiscard]] Laws fit_laws(const std::vector<std::string>& versions, const Profile& profile,
                            double fraction, const FitOptions& options);

// Laws that the profile cannot tell from `laws`: seeds drawn again with replacement (the same for
// all versions: they are paired) for shapes and noise; the run effect by pivots: its variance as
// V (S - 1) / chi2_{S-1}, the mean log rate as N(0, V* / S) in place of the drawn seeds' own.
// Few seeds give few different draws: with three, the result is a hint, not a guarantee.
[[nodiscard]] std::vector<Laws> posterior_draws(const std::vector<std::string>& versions,
                                                const Profile& profile, const Laws& laws,
                                                const FitOptions& options, std::uint32_t draws,
                                                std::uint64_t seed);

// Standard error of an evaluation near `metric`: the median over the nearest quarter of the points.
[[nodiscard]] double evaluation_se(const Profile& profile, double metric);

}  // namespace surety::plan
