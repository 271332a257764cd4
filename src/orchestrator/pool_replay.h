// A pool of attempts from a run's journal: what was seen is told to it again.
#pragma once

#include <optional>

#include "orchestrator/pool_spec.h"
#include "orchestrator/run_state.h"
#include "plan/pool/attempt_pool.h"

namespace surety::orchestrator {

struct PoolNow {
  double seconds = 0;  // Since training began.
  plan::PoolMoment left;
  const RunState* state = nullptr;  // As it is now.
};

// As after the last decision but one, which is counted; the last one is to be made again. Without
// `now` no decision is counted.
[[nodiscard]] plan::AttemptPool replayed(const PoolPlan& plan, const RunState& state,
                                         const PoolNow* now);

// What a run that is over has taught, for later jobs; none where it made no pass.
[[nodiscard]] std::optional<plan::EarlierJobs> lessons(const PoolPlan& plan, const RunState& state);

// A rate that came to nothing is too high, and so are higher ones; but for one that is below the
// first, of which only that is known. One is left in any case.
void exclude_rates(const PoolPlan& plan, double failed, plan::AttemptPool& pool);

}  // namespace surety::orchestrator
