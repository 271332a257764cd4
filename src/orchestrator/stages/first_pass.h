// Whether the very first pass of a run can end within the time and the money that are left.
//
// Until a pass has ended, the pool has no durations. So a promise that leaves no time or money for
// a single pass is refused by the speed of the first pass.
#pragma once

#include <cstdint>
#include <optional>

#include "orchestrator/stages/pool_replay.h"
#include "plan/choice/pool_spec.h"
#include "plan/pool/attempt_pool.h"

namespace surety::orchestrator {

class FirstPass {
 public:
  enum class Phase : std::uint8_t { kBefore, kTraining, kEvaluation };

  // `evaluation_passes`: how long an evaluation is expected to take, in parts of a pass.
  explicit FirstPass(double evaluation_passes) : evaluation_passes_(evaluation_passes) {}

  // The first pass trains with this variant, and the share `done` is done. Refuses the promise if
  // neither this pass nor a pass of a faster variant can end. Call it repeatedly. `budget`: the
  // job's. REQUIRES: there is money left if and only if there is a budget.
  [[nodiscard]] std::optional<plan::PoolRefuse> watch(double done, const PoolNow& now,
                                                      const plan::PoolSpec& pool,
                                                      std::uint32_t variant,
                                                      std::optional<double> budget);
  // Training has not begun, or does not continue.
  void stop() { began_s_.reset(); }
  // The refusal when the budget is used up before a pass has ended. REQUIRES: there is money_left.
  [[nodiscard]] plan::PoolRefuse out_of_money(Phase phase, double done, const PoolNow& now,
                                              const plan::PoolVariantSpec& own,
                                              double budget) const;

 private:
  double evaluation_passes_;
  std::optional<double> began_s_;  // Seconds since training began.
};

}  // namespace surety::orchestrator
