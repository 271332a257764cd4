// Fits laws to measurements: how each version learns, how runs differ, and the costs of switches
// and passes.
//
// Each data fraction, version and number of workers is fitted by itself, in these steps. Seeds that
// never learned are counted and excluded, because a median over all seeds would hide them. The
// curve is fitted to the median over the other seeds, by least squares (curve_fit.h) and then as a
// course (course_fit.h).
//
// Each seed's rate (run_rate.h) and the noise of a single pass are then fitted in turns. The noise
// comes from moments of increments. Increments are never clipped: without the negative increments
// every run would look faster than it is.
//
// The run effect comes from random effects over the paired seeds, pooled. If the slower half of the
// seeds is wider, its width is used for both sides, so that a normal distribution contains enough
// slow runs. Durations are lognormal. So are the jumps at switches, which are pooled over numbers
// of workers.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "plan/laws/curve_fit.h"
#include "plan/laws/profile_runs.h"
#include "plan/profile.h"
#include "plan/types.h"

namespace surety::plan {

struct FitOptions {
  // Laws of similar runs, as starting points for the curves, law by law. Must outlive this object.
  const Laws* near = nullptr;
  // Upper limit of the floor; 0 for a duality gap.
  double floor_max = std::numeric_limits<double>::infinity();
  double run_effect_alone = 0.2;  // Used if one seed cannot show how runs differ.
  double noise_default = 0.3;     // Noise of a pass, used if there are too few points.
  // The change of log(metric) at a switch: its mean if the switch was not measured, and its
  // standard deviation if it was measured less than twice. The mean is conservative: the metric
  // gets a fifth worse.
  double jump_default = 0.2;
  double jump_sd_default = 0.2;
};

using Runs = std::vector<const ProfileRun*>;

// The runs of a version on a data fraction, by number of workers.
[[nodiscard]] std::map<std::uint32_t, Runs> runs_by_workers(const std::vector<ProfileRun>& runs,
                                                            const std::string& version,
                                                            double fraction);

// Median metric over the runs at each pass.
[[nodiscard]] std::vector<FitPoint> median_curve(const Runs& runs);

// The runs that are not stuck_runs(). Not empty if `runs` is not.
[[nodiscard]] Runs not_stuck(const Runs& runs);

// REQUIRES: `fraction` is one of data_fractions() of profile_check.h, so each version gets a law.
// O(versions * seeds * passes * grid).
[[nodiscard]] Laws fit_laws(const std::vector<std::string>& versions,
                            const std::vector<ProfileRun>& runs,
                            const std::vector<SwitchPoint>& switches, double fraction,
                            const FitOptions& options);

// Standard error of an evaluation near `metric`: the median over the quarter of the points nearest
// to it.
[[nodiscard]] double evaluation_se(const Profile& profile, double metric);

}  // namespace surety::plan
