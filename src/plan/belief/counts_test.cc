#include "plan/belief/counts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace surety::plan {
namespace counts_test {

constexpr double kAlike = 0.1;

CountedAttempt attempt(std::uint64_t seed, std::vector<double> metrics) {
  return {.seed = seed, .version = "full", .metrics = std::move(metrics)};
}

TEST(Counts, AnAttemptIsGoodThatReachesTheTargetWithinItsPasses) {
  const std::vector<CountedAttempt> all{attempt(1, {1, 0.4}), attempt(2, {1, 0.9, 0.4}),
                                        attempt(3, {1, 0.9, 0.9}), attempt(4, {1, 0.9})};
  const Counts three = count(all, "full", {0.5, 0}, 0, 3);
  EXPECT_EQ(three.good, 2u);
  EXPECT_EQ(three.failed, 2u);
  EXPECT_EQ(three.hopeless, 1u);  // The fourth attempt had only two of the three passes.
  EXPECT_EQ(count(all, "full", {0.5, 0}, 0, 2).good, 1u);
  EXPECT_EQ(count(all, "prune:0.5", {0.5, 0}, 0, 3).good, 0u);
}

TEST(Counts, AttemptsThatReachedTheTargetEarlierAreNotCounted) {
  const std::vector<CountedAttempt> all{attempt(1, {0.4}), attempt(2, {1, 0.4})};
  EXPECT_EQ(count(all, "full", {0.5, 0}, 1, 3).good, 1u);
  EXPECT_EQ(count(all, "full", {0.5, 0}, 1, 3).failed, 0u);
}

TEST(Counts, AnAttemptIsAtTheTargetWhereItWouldHaveStopped) {
  std::vector<CountedAttempt> all{attempt(1, {1, 0.6, 0.47}), attempt(2, {1, 1.1, 0.47})};
  for (CountedAttempt& one : all) one.metric_se = 0.01;
  // The margin is 0.023 for the first attempt, which falls steadily, and 0.029 for the other.
  EXPECT_EQ(count(all, "full", {0.5, 0.9}, 0, 3).good, 2u);
  EXPECT_EQ(count(all, "full", {0.495, 0.9}, 0, 3).good, 1u);
  EXPECT_EQ(count(all, "full", {0.49, 0.9}, 0, 3).good, 0u);
}

TEST(Counts, TheSameSeedCountsOnce) {
  const std::vector<CountedAttempt> all{attempt(1, {0.4}), attempt(1, {0.4}), attempt(1, {0.4})};
  EXPECT_EQ(count(all, "full", {0.5, 0}, 0, 3).good, 1u);
}

TEST(Counts, AnAttemptThatWasNotConfirmedHasFailed) {
  std::vector<CountedAttempt> all{attempt(1, {0.4})};
  all[0].confirmed = false;
  EXPECT_EQ(count(all, "full", {0.5, 0}, 0, 3).good, 0u);
  EXPECT_EQ(count(all, "full", {0.5, 0}, 0, 3).failed, 1u);
}

// The values of the table were computed independently of this code.
TEST(Counts, TheShareOfGoodAttemptsIsThatOfTheTable) {
  const std::map<std::uint32_t, double> none_failed{{1, 0.095}, {2, 0.308}, {3, 0.455},
                                                    {4, 0.554}, {6, 0.674}, {8, 0.744}};
  for (const auto& [good, share] : none_failed) {
    EXPECT_NEAR(good_share(good, 0, 0.9), share, 1e-3) << good;
  }
  EXPECT_EQ(good_share(0, 0, 0.9), 0);
  EXPECT_EQ(good_share(0, 5, 0.9), 0);
  EXPECT_LT(good_share(8, 1, 0.9), good_share(8, 0, 0.9));
  EXPECT_GT(good_share(1000, 10, 0.9), 0.97);
}

TEST(Counts, TenGoodJobsAndRoomForFourAttemptsCarryNinetyNinePercent) {
  const double share = good_share(10, 0, 0.9);
  EXPECT_GE(one_is_good(share, 4, kAlike), 0.99);
  EXPECT_LT(one_is_good(share, 3, kAlike), 0.99);
  EXPECT_LT(one_is_good(share, 4, 0.2), one_is_good(share, 4, kAlike));
  EXPECT_EQ(one_is_good(0, 4, kAlike), 0);
  EXPECT_DOUBLE_EQ(one_is_good(0.5, 2, 0), 0.75);
}

// The chance that the claim is ever false, over all ways in which 30 attempts may end, if it is
// checked after each one.
double ever_false(double p) {
  // Chance of each count while no claim was false.
  std::map<std::uint32_t, double> by_good{{0, 1.0}};
  double wrong = 0;
  for (std::uint32_t n = 1; n <= 30; ++n) {
    std::map<std::uint32_t, double> next;
    for (const auto& [good, chance] : by_good) {
      next[good + 1] += chance * p;
      next[good] += chance * (1 - p);
    }
    std::erase_if(next, [&](const auto& state) {
      const bool is_wrong = good_share(state.first, n - state.first, 0.9) > p;
      if (is_wrong) wrong += state.second;
      return is_wrong;
    });
    by_good = std::move(next);
  }
  return wrong;
}

TEST(Counts, AClaimIsSeldomFalseEvenIfItIsCheckedOften) {
  for (const double p : {0.05, 0.2, 0.3, 0.45, 0.5, 0.55, 0.7, 0.75, 0.8, 0.9, 0.95, 0.99}) {
    EXPECT_LE(ever_false(p), 0.1) << p;
  }
}

}  // namespace counts_test
}  // namespace surety::plan
