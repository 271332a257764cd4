#include "judge.h"

#include <gtest/gtest.h>

namespace surety::bench {
namespace judge_test {

// Ten seeds, of which the first `kept` keep the promise; each costs `cost`.
SeedRuns plan_that(std::size_t kept, double cost) {
  SeedRuns runs(10, {false, cost});
  for (std::size_t i = 0; i < kept; ++i) runs[i].kept = true;
  return runs;
}

const Seeds kAll{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};

TEST(CheapestMixture, IsLinearBetweenTheCheapestPlans) {
  // The second plan keeps less than the third and costs more, so no mixture uses it.
  const std::vector<SeedRuns> plans{plan_that(4, 1), plan_that(7, 9), plan_that(8, 3)};
  const auto cost_at = [&](double share) {
    return judge(plans, *cheapest_mixture(plans, share, kAll), kAll).cost;
  };
  EXPECT_DOUBLE_EQ(cost_at(0.6), 2);
  EXPECT_DOUBLE_EQ(cost_at(0.8), 3);
}

TEST(CheapestMixture, WhatNoPlanKeepsHasNone) {
  EXPECT_FALSE(cheapest_mixture({plan_that(8, 3)}, 0.9, kAll));
  EXPECT_FALSE(cheapest_mixture({}, 0.5, kAll));
}

TEST(CheapestMixture, KnowsOnlyItsSeeds) {
  const std::vector<SeedRuns> plans{plan_that(5, 1), plan_that(10, 3)};
  const auto mixture = cheapest_mixture(plans, 1, {0, 1, 2, 3, 4});
  ASSERT_TRUE(mixture);
  EXPECT_EQ(mixture->likelier, 0u);
}

TEST(CrossJudged, WhatWasChosenByLuckIsJudgedByOtherRuns) {
  // Two plans keep all of one half and none of the other; a third plan keeps all for 5. On each
  // half, the cheap plan that kept the promise there is chosen. On the other half it never keeps
  // the promise.
  SeedRuns even(4, {false, 1});
  SeedRuns odd(4, {false, 1});
  even[0].kept = even[2].kept = odd[1].kept = odd[3].kept = true;
  const SeedRuns sure(4, {true, 5});
  const auto judged = cross_judged({even, odd, sure}, SeedRuns(4, {true, 2}), halves_of(4));
  ASSERT_TRUE(judged);
  EXPECT_DOUBLE_EQ(judged->cost, 1);
  EXPECT_DOUBLE_EQ(judged->share, 0);
}

TEST(CrossJudged, AsksForTheSuccessThatOursHasOnTheHalfThatChooses) {
  // Ours keeps one of two seeds on the first half, and both on the second.
  SeedRuns ours(4, {true, 2});
  ours[0].kept = false;
  const SeedRuns never(4, {false, 0});
  const SeedRuns sure{{true, 4}, {true, 8}, {true, 4}, {true, 8}};
  const auto judged = cross_judged({never, sure}, ours, halves_of(4));
  ASSERT_TRUE(judged);
  // The first half chooses a mixture of the two, which costs 4 on the second. The second half can
  // only choose the sure one, which costs 4 on the first.
  EXPECT_DOUBLE_EQ(judged->share, 0.75);
  EXPECT_DOUBLE_EQ(judged->cost, 4);
}

TEST(CrossJudged, SaysNothingWhereAHalfHasNoMixture) {
  SeedRuns once(4, {true, 1});
  once[1].kept = false;
  EXPECT_FALSE(cross_judged({once}, SeedRuns(4, {true, 2}), halves_of(4)));
}

TEST(Bootstrap, DrawsEachHalfBySeeds) {
  const Halves halves = halves_of(60);
  EXPECT_EQ(halves.first.size(), 30u);
  std::size_t odd_in_first = 0;
  std::size_t sizes = 0;
  const auto interval = bootstrap(
      halves,
      [&](const Halves& drawn) -> std::optional<double> {
        for (const std::size_t seed : drawn.first) odd_in_first += seed % 2;
        sizes += drawn.first.size() + drawn.second.size();
        return static_cast<double>(drawn.first.front());
      },
      200);
  EXPECT_EQ(odd_in_first, 0u);
  EXPECT_EQ(sizes, 200u * 60u);
  ASSERT_TRUE(interval);
  EXPECT_LT(interval->low, 10);
  EXPECT_GT(interval->high, 48);
}

TEST(Bootstrap, IsSilentWhereMostDrawsHaveNoValue) {
  int calls = 0;
  const auto value = [&](const Halves&) -> std::optional<double> {
    if (++calls % 3 > 0) return std::nullopt;
    return 1;
  };
  EXPECT_FALSE(bootstrap(halves_of(4), value, 30));
}

}  // namespace judge_test
}  // namespace surety::bench
