// How long a pass takes on how many nodes.
//
// time = compute / nodes + fixed, the two parts by least squares where several numbers of nodes
// were profiled. With one number, all of it is compute for fewer nodes, and more nodes bring
// nothing: both err on the slow side.
#pragma once

#include <span>

#include "plan/profile.h"
#include "plan/types.h"

namespace surety::plan {

// REQUIRES: some point with pass > 0. Untrained models (pass 0) took no pass and do not count.
[[nodiscard]] PassTime fit_pass_time(std::span<const CurvePoint> points);

// The same work on `factor` times the data; the evaluation stays.
[[nodiscard]] PassTime scaled(PassTime time, double factor);

}  // namespace surety::plan
