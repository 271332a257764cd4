// Where a promise is refused: which ones near it could be made, each by changing one thing.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "plan/pool/pool_rule.h"

namespace surety::plan {

struct RefusedPromise {
  double target = 0, probability = 0.9;
  double reached = 0;  // A target that is reached now, margin included.
  PoolMoment now;
};

struct NearestPromises {
  std::optional<double> target;
  std::optional<double> seconds_left;  // From now to a later deadline.
  std::optional<double> money_left;    // From now on, of a larger budget.
  // What stands in the way: deadline, budget, or floor, where no deadline would do.
  std::string reason_class;
};

// `kept_low(target, moment)`: the probability that could be promised. O(30) calls of it.
[[nodiscard]] NearestPromises nearest_promises(
    const RefusedPromise& refused,
    const std::function<double(double target, const PoolMoment& moment)>& kept_low);

}  // namespace surety::plan
