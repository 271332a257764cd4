// Whether an attempt has settled: its remaining passes will not improve its metric notably.
//
// If training has one solution, as that of a linear model, the metric approaches that of the
// solution more and more slowly. As long as it falls, no later pass improves it by more than the
// current improvement per pass. A metric that moves up or down, as after the loss of a worker's
// samples, has not settled.
#pragma once

#include <cstdint>
#include <span>

#include "plan/pool/learns_nothing.h"

namespace surety::plan {

// `passes`: the metrics of one attempt, the newest last. `passes_left` is the number of passes that
// it may still make. False with fewer than seven passes. O(1).
[[nodiscard]] bool has_settled(std::span<const SeenMetric> passes, std::uint32_t passes_left);

}  // namespace surety::plan
