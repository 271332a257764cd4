// After a refusal: the promises nearest to the refused one that could be made, each by changing one
// value. After training that ended early: the time or the money that would have been enough.
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

// What one more pass needs.
struct PassNeeds {
  double seconds = 0;
  double money = 0;
};

// About the least time or money with which the target would be reached with each probability, at
// least what one pass needs. Money is the obstacle if less than one pass needs is left. A
// probability is left out if 256 passes would not be enough, and if a higher one needs no more.
// `kept(moment)`: the probability of reaching the target, which never falls with more time or
// money. It is called about 12 times, or once if nothing helps. REQUIRES: ascending probabilities.
[[nodiscard]] std::vector<MissingRoom> missing_room(
    const PoolMoment& now, const PassNeeds& pass, const std::vector<double>& probabilities,
    const std::function<double(const PoolMoment& moment)>& kept);

}  // namespace surety::plan
