// Whether an attempt is past its best: it overfits, so its metric on samples that it was not
// trained on rises from pass to pass. The laws of learning (plan/belief/belief.h) only fall, and
// would take the rise for the jitter of checkpoints.
#pragma once

#include <span>

#include "plan/pool/learns_nothing.h"

namespace surety::plan {

// `passes`: of one attempt in one version, the newest last. It is past its best where the last
// three passes are worse than its best one, on average by more than what evaluations on the same
// samples differ by and what the metric usually moves by from one pass to the next. So a best pass
// that was a lucky one is not enough. False with fewer than six passes after the best one.
// O(passes log passes).
[[nodiscard]] bool is_past_its_best(std::span<const SeenMetric> passes);

}  // namespace surety::plan
