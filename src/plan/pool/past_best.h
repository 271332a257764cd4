// Whether an attempt is past its best: it overfits, so its metric on samples that it was not
// trained on rises from pass to pass. The laws of learning (plan/belief/belief.h) only fall, and
// would explain the rise as jitter of checkpoints.
#pragma once

#include <span>

#include "plan/pool/learns_nothing.h"

namespace surety::plan {

// `passes` are those of one attempt in one version, the newest last. The attempt is past its best
// if the last three passes are worse than its best one. Their average difference must exceed both
// the difference of evaluations on the same samples and the usual change from one pass to the next.
// So a single lucky pass is not enough. False with fewer than six passes after the best one.
// O(passes log passes).
[[nodiscard]] bool is_past_its_best(std::span<const SeenMetric> passes);

}  // namespace surety::plan
