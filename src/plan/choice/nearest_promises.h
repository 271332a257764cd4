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

// What was missing when training ended before the target was reached.
struct MissingRoom {
  double probability = 0;         // Probability of reaching the target with one of these.
  std::optional<double> seconds;  // More time, with the money that is left.
  std::optional<double> money;    // More money, with the time that is left.
};

// The least time and the least money, each alone, with which the promise would be kept. `unit` is
// what one pass needs. None if 1,000 times as much would not be enough.
// `kept(moment)`: the probability of keeping the promise. It is called about 30 times.
[[nodiscard]] MissingRoom missing_room(const PoolMoment& now, const PoolMoment& unit,
                                       double probability,
                                       const std::function<double(const PoolMoment& moment)>& kept);

}  // namespace surety::plan
