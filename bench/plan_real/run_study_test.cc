#include "run_study.h"

#include <gtest/gtest.h>

#include "measure_profile.h"

namespace surety::bench {
namespace run_study_test {

Kept plan_that(std::uint32_t kept, double cost) {
  Kept row;
  row.deadline_s = 700;
  row.planner = "mean";
  row.runs = 10;
  row.kept = kept;
  row.cost_mean = cost;
  return row;
}

TEST(CostAt, IsLinearBetweenTheCheapestPlans) {
  // The second keeps less than the third and is dearer: nobody would take it.
  const std::vector<Kept> rows{plan_that(4, 1), plan_that(7, 9), plan_that(8, 3)};
  EXPECT_DOUBLE_EQ(*cost_at(rows, 700, "mean", 0.6), 2);
  EXPECT_DOUBLE_EQ(*cost_at(rows, 700, "mean", 0.8), 3);
}

TEST(CostAt, WhatNoPlanKeepsHasNoCost) {
  EXPECT_FALSE(cost_at({plan_that(8, 3)}, 700, "mean", 0.9));
  EXPECT_FALSE(cost_at({plan_that(8, 3)}, 700, "open-loop", 0.5));
  EXPECT_FALSE(cost_at({plan_that(8, 3)}, 800, "mean", 0.5));
}

plan::Profile profile_of(const std::vector<std::vector<double>>& seeds) {
  plan::Profile profile;
  for (std::uint32_t seed = 0; seed < seeds.size(); ++seed) {
    for (std::uint32_t pass = 0; pass < seeds[seed].size(); ++pass) {
      profile.curves.push_back({"full", seed, 1, pass, seeds[seed][pass], 0, 1, 0, 1});
    }
  }
  return profile;
}

TEST(MedianPassesTo, IsWhereTheMiddleSeedCrosses) {
  const plan::Profile profile = profile_of({{3, 2, 1, 0.5}, {3, 1, 0.5, 0}, {3, 2.5, 2, 2}});
  EXPECT_DOUBLE_EQ(*median_passes_to(1.5, "full", profile), 1.5);  // 0.75, 1.5, never.
  EXPECT_FALSE(median_passes_to(0.4, "full", profile));            // One seed of three.
}

}  // namespace run_study_test
}  // namespace surety::bench
