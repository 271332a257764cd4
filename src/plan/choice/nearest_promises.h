// After a refusal: the promises nearest to the refused one that could be made, each by changing one
// value.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "plan/choice/pool_rule.h"
#include "plan/reason_class.h"

namespace surety::plan {

struct RefusedPromise {
  double target = 0;
  double probability = 0.9;
  double reached = 0;  // The best target that is reached now, margin included.
  PoolMoment now;
};

struct NearestPromises {
  std::optional<double> target;
  std::optional<double> seconds_left;  // Seconds from now to the later deadline.
  std::optional<double> money_left;    // Money from now on, under the larger budget.
  // The obstacle: deadline, budget, or floor if no deadline would suffice.
  ReasonClass reason_class = ReasonClass::kFloor;
};

// `kept_low(target, moment)`: the probability that could be promised. It is called about 30 times.
[[nodiscard]] NearestPromises nearest_promises(
    const RefusedPromise& refused,
    const std::function<double(double target, const PoolMoment& moment)>& kept_low);

}  // namespace surety::plan
