#include "judge.h"

#include <limits>

#include "base/check.h"
#include "base/random.h"
#include "base/statistics.h"

namespace surety::bench {
namespace {

constexpr double kTail = 0.05;  // Probability on either side of an interval.
constexpr std::uint64_t kBootstrapSeed = 60;

Seeds drawn_again(const Seeds& seeds, Random& random) {
  Seeds drawn;
  for (std::size_t i = 0; i < seeds.size(); ++i) drawn.push_back(seeds[random.below(seeds.size())]);
  return drawn;
}

Judged between(const Judged& cheaper, const Judged& likelier, double weight) {
  return {cheaper.share + weight * (likelier.share - cheaper.share),
          cheaper.cost + weight * (likelier.cost - cheaper.cost)};
}

}  // namespace

Halves halves_of(std::size_t seeds) {
  SURETY_CHECK(seeds >= 2);
  Halves halves;
  for (std::size_t i = 0; i < seeds; ++i) (i % 2 == 0 ? halves.first : halves.second).push_back(i);
  return halves;
}

std::optional<Mixture> cheapest_mixture(const std::vector<SeedRuns>& plans, double share,
                                        const Seeds& seeds) {
  std::vector<Judged> judged;
  for (const SeedRuns& plan : plans) judged.push_back(judge(plan, seeds));
  std::optional<Mixture> best;
  double least = std::numeric_limits<double>::infinity();
  const auto offer = [&](const Mixture& mixture) {
    const double cost =
        between(judged[mixture.cheaper], judged[mixture.likelier], mixture.weight).cost;
    if (cost < least) best = mixture, least = cost;
  };
  for (std::size_t high = 0; high < plans.size(); ++high) {
    if (judged[high].share < share) continue;
    offer({high, high, 1});
    for (std::size_t low = 0; low < plans.size(); ++low) {
      if (judged[low].share >= share) continue;
      offer({high, low, (share - judged[low].share) / (judged[high].share - judged[low].share)});
    }
  }
  return best;
}

Judged judge(const SeedRuns& plan, const Seeds& seeds) {
  SURETY_CHECK(!seeds.empty());
  std::size_t kept = 0;
  double cost = 0;
  for (const std::size_t seed : seeds) {
    kept += plan[seed].kept ? 1 : 0;
    cost += plan[seed].cost;
  }
  const auto count = static_cast<double>(seeds.size());
  return {static_cast<double>(kept) / count, cost / count};
}

Judged judge(const std::vector<SeedRuns>& plans, const Mixture& mixture, const Seeds& seeds) {
  return between(judge(plans[mixture.cheaper], seeds), judge(plans[mixture.likelier], seeds),
                 mixture.weight);
}

std::optional<Judged> cross_judged(const std::vector<SeedRuns>& plans, const SeedRuns& ours,
                                   const Halves& halves) {
  const auto judged_on = [&](const Seeds& chosen, const Seeds& other) -> std::optional<Judged> {
    const auto mixture = cheapest_mixture(plans, judge(ours, chosen).share, chosen);
    if (!mixture) return std::nullopt;
    return judge(plans, *mixture, other);
  };
  const auto second = judged_on(halves.first, halves.second);
  const auto first = judged_on(halves.second, halves.first);
  if (!first || !second) return std::nullopt;
  const double of_first = static_cast<double>(halves.first.size());
  const double all = of_first + static_cast<double>(halves.second.size());
  return between(*second, *first, of_first / all);
}

std::optional<Interval> bootstrap(const Halves& halves, const OfHalves& value,
                                  std::uint32_t draws) {
  SURETY_CHECK(draws > 0);
  Random random(kBootstrapSeed);
  std::vector<double> values;
  for (std::uint32_t i = 0; i < draws; ++i) {
    Halves drawn;
    drawn.first = drawn_again(halves.first, random);
    drawn.second = drawn_again(halves.second, random);
    if (const auto one = value(drawn)) values.push_back(*one);
  }
  const double share = static_cast<double>(values.size()) / draws;
  if (2 * values.size() < draws) return std::nullopt;
  return Interval{surety::quantile(values, kTail), surety::quantile(values, 1 - kTail), share};
}

}  // namespace surety::bench
