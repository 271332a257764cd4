// The mean course of the metric by the rows of a decision process, instead of by the laws.
#pragma once

#include <vector>

#include "plan/decision/cmdp.h"
#include "plan/schedules/mean_planner.h"

namespace surety::plan {

// Means of the kernels' rows; `metrics` are the metrics of the levels. A mean cannot fall below
// level 0, which is absorbing. With noise it reaches level 0 too late or never, and there cannot be
// a margin below level 0.
[[nodiscard]] MeanCurves mean_curves(const Mdp& mdp, const std::vector<MdpStart>& starts,
                                     const std::vector<double>& metrics);

}  // namespace surety::plan
