// From measurements to laws: how each version learns, how runs differ, what switches and passes
// cost.
//
// Steps, per data fraction, each version on each number of workers by itself: seeds that never
// learned are counted and set aside (a median over all would hide them); the curve on the median
// over the others, by least squares (curve_fit.h) and then as a course (course_fit.h); each seed's
// rate (run_rate.h) and, in turns with it, the noise of a single pass by moments, from increments
// that are never clipped (clipping negative ones makes every run look faster than it is); run
// effect by random effects over the paired seeds, pooled, and as wide as its slower half where that
// is wider: a few slow seeds count for both sides, so that a normal distribution has slow runs
// enough; durations as lognormals; switch jumps as lognormals, pooled over numbers of workers.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "plan/laws/curve_fit.h"
#include "plan/laws/profile_runs.h"
#include "plan/profile.h"
#include "plan/types.h"

namespace surety::plan {

struct FitOptions {
  const Laws* near = nullptr;  // Of similar runs: starts for the curves, law by law. Must outlive.
  // A duality gap falls to 0.
  double floor_max = std::numeric_limits<double>::infinity();
  double run_effect_alone = 0.2;  // Where one seed says nothing of how runs differ.
  double noise_default = 0.3;     // Of a pass, where too few points say anything.
  // A switch that nobody measured: conservative, a fifth worse than before.
  double jump_default = 0.2, jump_sd_default = 0.2;
};

// InvalidInput, with what to measure: no curve; a version without a curve or with a single pass;
// numbers that are not finite, negative times, fractions outside (0, 1], points given twice.
[[nodiscard]] Result<void> check_profile(const std::vector<std::string>& versions,
                                         const Profile& profile);

using Runs = std::vector<const ProfileRun*>;

// The runs of a version on a data fraction by number of workers.
[[nodiscard]] std::map<std::uint32_t, Runs> runs_by_workers(const std::vector<ProfileRun>& runs,
                                                            const std::string& version,
                                                            double fraction);

// The data fractions that every version was profiled on, ascending.
[[nodiscard]] std::vector<double> data_fractions(const std::vector<std::string>& versions,
                                                 const std::vector<ProfileRun>& runs);

// Median metric over the runs at each pass.
[[nodiscard]] std::vector<FitPoint> median_curve(const Runs& runs);

// The runs that are not stuck_runs(). Some, where there is any.
[[nodiscard]] Runs healthy(const Runs& runs);

// REQUIRES: `fraction` is one of data_fractions(), so that each version gets a law.
// O(versions * seeds * passes * grid).
[[nodiscard]] Laws fit_laws(const std::vector<std::string>& versions,
                            const std::vector<ProfileRun>& runs,
                            const std::vector<SwitchPoint>& switches, double fraction,
                            const FitOptions& options);

// Laws that the profile cannot tell from `laws`: the healthy seeds of each law drawn again with
// replacement, as many as it has (laws with the same seeds draw the same: they are paired), for
// shapes and noise; the run effect by pivots: its variance as V d / chi2_d, the mean log rate as
// N(0, V* / S) in place of the drawn seeds' own, S the seeds of that law, d = S - 1; the share of
// stuck runs by Jeffreys' Beta(k + 1/2, S - k + 1/2) where k > 0. What is supported stays as it is.
// Few seeds give few different draws: with three, the result is a hint, not a guarantee.
// `seeds_factor`: as if the profile had so many times its seeds, for asking how many would do.
[[nodiscard]] std::vector<Laws> posterior_draws(const std::vector<std::string>& versions,
                                                const std::vector<ProfileRun>& runs,
                                                const std::vector<SwitchPoint>& switches,
                                                const Laws& laws, const FitOptions& options,
                                                std::uint32_t draws, std::uint64_t seed,
                                                std::uint32_t seeds_factor = 1);

// Standard error of an evaluation near `metric`: the median over the nearest quarter of the points.
[[nodiscard]] double evaluation_se(const Profile& profile, double metric);

}  // namespace surety::plan
