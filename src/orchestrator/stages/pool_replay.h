// Rebuilds a pool of attempts from a run's journal by replaying the observations.
#pragma once

#include <optional>

#include "orchestrator/history/run_state.h"
#include "orchestrator/stages/pool_setup.h"
#include "plan/pool/attempt_pool.h"

namespace surety::orchestrator {

struct PoolNow {
  double seconds = 0;  // Seconds since training began.
  plan::PoolMoment left;
  const RunState* state = nullptr;  // The current state.
};

// The pool with all passes of the journal that are not lost. Its state is that of the moment after
// the last of these passes, before the decision that follows it, which the caller makes again. A
// promise and a refusal need two consecutive decisions, so the decision before that one is also
// counted (AttemptPool::on_decided()). Without `now` no decision is counted.
[[nodiscard]] plan::AttemptPool replayed(const PoolSetup& setup, const RunState& state,
                                         const PoolNow* now);

// The knowledge from a finished run for later jobs; none if it finished no pass.
[[nodiscard]] std::optional<plan::EarlierJobs> for_later_jobs(const PoolSetup& setup,
                                                              const RunState& state);

// Excludes a learning rate that failed and all higher ones. If the failed rate is below the first
// one, only this rate is excluded. At least one rate is always left.
void exclude_rates(const PoolSetup& setup, double failed, plan::AttemptPool& pool);

}  // namespace surety::orchestrator
