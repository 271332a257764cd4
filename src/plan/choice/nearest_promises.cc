#include "plan/choice/nearest_promises.h"

#include <cmath>
#include <map>

namespace surety::plan {
namespace {

constexpr double kFarthest = 64;  // Largest factor on the time or money left that is tried.
constexpr double kClose = 1.15;   // A factor is found up to this ratio.
constexpr int kHalvings = 6;      // Bisection steps towards a target.
constexpr int kMostPasses = 256;  // More time or money than these passes need is not tried.

// The least factor up to kFarthest for which `can(factor)` holds. REQUIRES: `can` is monotone.
template <typename Can>
std::optional<double> least_factor(const Can& can) {
  double low = 1;
  double high = kFarthest;
  while (high / low > kClose) {
    const double middle = std::sqrt(low * high);
    (can(middle) ? high : low) = middle;
  }
  if (can(high)) return high;
  return std::nullopt;
}

// About the least amount, from `unit` on, for which `can(amount)` holds: a larger one than `unit`
// is too large by at most the factor kClose. REQUIRES: `can` is monotone.
template <typename Can>
std::optional<double> least_more(double unit, const Can& can) {
  if (!can(kMostPasses * unit)) return std::nullopt;
  double low = 0;
  double high = unit;
  while (!can(high)) {
    low = high;
    high *= 2;
  }
  while (low > 0 && high / low > kClose) {
    const double middle = std::sqrt(low * high);
    (can(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace

std::vector<MissingRoom> missing_room(const PoolMoment& now, const PassNeeds& pass,
                                      const std::vector<double>& probabilities,
                                      const std::function<double(const PoolMoment&)>& kept) {
  const bool lacks_money = now.money_left && *now.money_left < pass.money;
  const double unit = lacks_money ? pass.money : pass.seconds;
  std::vector<MissingRoom> all;
  if (!(unit > 0)) return all;
  std::map<double, double> known;  // The bisections for different probabilities begin alike.
  const auto kept_with = [&](double more) {
    const auto [at, is_new] = known.try_emplace(more, 0.0);
    if (is_new) {
      at->second = kept(lacks_money ? PoolMoment{now.seconds_left, *now.money_left + more}
                                    : PoolMoment{now.seconds_left + more, now.money_left});
    }
    return at->second;
  };
  double last = 0;
  for (const double probability : probabilities) {
    const auto more = least_more(unit, [&](double m) { return kept_with(m) >= probability; });
    if (!more) break;
    if (*more == last) all.pop_back();
    last = *more;
    MissingRoom& missing = all.emplace_back();
    missing.probability = probability;
    (lacks_money ? missing.money : missing.seconds) = more;
  }
  return all;
}

NearestPromises nearest_promises(
    const RefusedPromise& refused,
    const std::function<double(double target, const PoolMoment& moment)>& kept_low) {
  NearestPromises nearest;
  const PoolMoment& now = refused.now;
  const auto can = [&](double target, const PoolMoment& moment) {
    return kept_low(target, moment) >= refused.probability;
  };
  const bool reachable = can(refused.target, {now.seconds_left * kFarthest, std::nullopt});
  if (reachable) {
    const auto longer = least_factor([&](double factor) {
      return can(refused.target, {now.seconds_left * factor, now.money_left});
    });
    if (longer) nearest.seconds_left = *longer * now.seconds_left;
    // If no deadline suffices, the budget is the obstacle.
    if (!longer && now.money_left) {
      const auto dearer = least_factor([&](double factor) {
        return can(refused.target, {now.seconds_left, *now.money_left * factor});
      });
      if (dearer) nearest.money_left = *dearer * *now.money_left;
    }
  }
  double near = refused.target;
  double there = refused.reached;
  if (there > near) {
    for (int i = 0; i < kHalvings; ++i) {
      const double middle = (near + there) / 2;
      (can(middle, now) ? there : near) = middle;
    }
    nearest.target = there;
  }
  const bool money = now.money_left && reachable && !nearest.seconds_left;
  nearest.reason_class = money       ? ReasonClass::kBudget
                         : reachable ? ReasonClass::kDeadline
                                     : ReasonClass::kFloor;
  return nearest;
}

}  // namespace surety::plan
