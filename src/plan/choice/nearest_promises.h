// After a refusal: the promises nearest to the refused one that could be made, each by changing one
// value.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

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

// What was missing when training ended before the target was reached: more time or more money.
struct MissingRoom {
  double probability = 0;         // Probability of reaching the target with it.
  std::optional<double> seconds;  // Set if time was the obstacle.
  std::optional<double> money;    // Set if money was the obstacle.
};

// The least time or money with which the target would be reached with each probability. `pass`:
// what one more pass needs; money is the obstacle if less than that is left. A probability is left
// out if 1,000 times as much as a pass needs would not be enough. `kept(moment)`: the probability
// of reaching the target. It is called about 15 times.
[[nodiscard]] std::vector<MissingRoom> missing_room(
    const PoolMoment& now, const PoolMoment& pass, const std::vector<double>& probabilities,
    const std::function<double(const PoolMoment& moment)>& kept);

}  // namespace surety::plan
