#include "elastic/policy/scale_in.h"

#include <gmock/gmock.h>

#include <cmath>
#include <functional>

#include "base/random.h"

namespace surety::elastic {
namespace scale_in_test {

using ::testing::HasSubstr;

// Runs iterations of one second each, with this rate of ln(gap) per second.
bool run(ScaleIn& policy, double& duality_gap, double rate, int iterations) {
  bool changed = false;
  for (int i = 0; i < iterations; ++i) changed = policy.observe(duality_gap *= std::exp(-rate), 1);
  return changed;
}

// Tries at once, without a limit of the lost time.
ScaleInOptions eager(std::uint32_t window) { return {.window = window, .lost_time_budget = 100}; }

TEST(ScaleIn, TriesHalfAsManyOnceAWindowIsFull) {
  ScaleIn policy(16, eager(4));
  double duality_gap = 1;
  EXPECT_FALSE(run(policy, duality_gap, 1, 4));
  EXPECT_TRUE(run(policy, duality_gap, 1, 1));
  EXPECT_EQ(policy.workers(), 8u);
  EXPECT_THAT(
      policy.reason(),
      HasSubstr("with 16 workers, the logarithm of the gap falls by 1 per second: trying 8"));
}

TEST(ScaleIn, AWindowLastsUntilTheGapHasFallenOrForSoManyIterations) {
  for (const double rate : {0.1, 0.05, 0.001}) {
    ScaleIn policy(16, {.window = 2, .window_max = 8, .fall = 0.32, .lost_time_budget = 100});
    double duality_gap = 1;
    int iterations = 1;
    while (iterations < 99 && !run(policy, duality_gap, rate, 1)) ++iterations;
    // The first iteration is the starting point of the window.
    EXPECT_EQ(iterations, rate == 0.1 ? 5 : rate == 0.05 ? 8 : 9) << rate;
  }
}

TEST(ScaleIn, ABetterRateStaysAndAWorseOneIsUndone) {
  ScaleIn policy(16, eager(4));
  double duality_gap = 1;
  run(policy, duality_gap, 1, 5);
  run(policy, duality_gap, 2, 4);
  EXPECT_EQ(policy.workers(), 8u);
  EXPECT_THAT(policy.reason(), HasSubstr("8 workers stay: the logarithm of the gap falls by 2 per "
                                         "second; with 16 workers it would fall by 1"));
  run(policy, duality_gap, 2, 1);
  EXPECT_EQ(policy.workers(), 4u);
  EXPECT_TRUE(run(policy, duality_gap, 1, 4));
  EXPECT_EQ(policy.workers(), 8u);
  EXPECT_THAT(policy.reason(), HasSubstr("back to 8 workers: with 4, the logarithm of the gap "
                                         "falls by 1 per second; with 8 it would fall by 2"));
}

TEST(ScaleIn, ATieGoesToTheFewer) {
  ScaleIn policy(2, eager(2));
  double duality_gap = 1;
  run(policy, duality_gap, 1, 3);
  run(policy, duality_gap, 1 + 1e-9, 2);
  EXPECT_THAT(policy.reason(), HasSubstr("1 worker stays"));
}

TEST(ScaleIn, ATryThatIsClearlyBadEndsBeforeItsWindowIsFull) {
  ScaleIn policy(2, {.window = 2, .window_max = 100, .fall = 0.5, .lost_time_budget = 100});
  double duality_gap = 1;
  run(policy, duality_gap, 0.5, 3);
  ASSERT_EQ(policy.workers(), 1u);
  EXPECT_TRUE(run(policy, duality_gap, 0.02, 2));
  EXPECT_EQ(policy.workers(), 2u);
}

// A try of 2 iterations at half the rate loses one second. The next try begins when this loss and
// one more second are a tenth of the time.
TEST(ScaleIn, TriesThatFailLoseNoMoreThanTheirPartOfTheTime) {
  ScaleIn policy(2, {.window = 2, .lost_time_budget = 0.1, .abort_below_ratio = 0.1});
  double duality_gap = 1;
  double lost_s = 0;
  for (int s = 1; s <= 200; ++s) {
    const bool tries = policy.workers() == 1;
    if (tries) lost_s += 0.5;
    policy.observe(duality_gap *= std::exp(tries ? -0.5 : -1.0), 1);
    if (tries) continue;
    EXPECT_LE(lost_s, 0.1 * s + 1e-9);
  }
  // Tries do use the budget, because otherwise better numbers could not be found.
  EXPECT_GT(lost_s, 8);
}

TEST(ScaleIn, DuringATryTheLargerNumberIsKept) {
  ScaleIn policy(16, eager(2));
  double duality_gap = 1;
  run(policy, duality_gap, 1, 3);
  EXPECT_EQ(policy.workers(), 8u);
  EXPECT_EQ(policy.kept(), 16u);
  run(policy, duality_gap, 2, 2);
  EXPECT_EQ(policy.kept(), 8u);
}

TEST(ScaleIn, WhatHappensOnTheWayToATryIsNoPartOfItsRate) {
  ScaleIn policy(16, eager(2));
  double duality_gap = 1;
  run(policy, duality_gap, 1, 3);
  policy.observe_transition(duality_gap *= std::exp(-100), 1);
  run(policy, duality_gap, 0.9, 2);
  EXPECT_THAT(
      policy.reason(),
      HasSubstr("back to 16 workers: with 8, the logarithm of the gap falls by 0.9 per second"));
}

TEST(ScaleIn, WithOtherNodesItBeginsAnew) {
  ScaleIn policy(16, eager(2));
  double duality_gap = 1;
  run(policy, duality_gap, 1, 3);
  policy.limit(12);
  EXPECT_EQ(policy.workers(), 12u);
  EXPECT_FALSE(run(policy, duality_gap, 1, 2));
  EXPECT_TRUE(run(policy, duality_gap, 1, 1));
  EXPECT_EQ(policy.workers(), 6u);
}

TEST(ScaleIn, OneWorkerIsTheEnd) {
  ScaleIn policy(1, {});
  double duality_gap = 1;
  EXPECT_FALSE(run(policy, duality_gap, 1, 50));
  EXPECT_EQ(policy.workers(), 1u);
}

TEST(ScaleIn, AnInvalidGapIsIgnored) {
  ScaleIn policy(4, {.window = 2});
  for (int i = 0; i < 9; ++i) EXPECT_FALSE(policy.observe(i % 2 == 0 ? 0 : std::nan(""), 1));
}

// Options for safely added updates: workers_min is tried first.
ScaleInOptions careful(double lost_time_budget = 0) {
  return {.window = 4, .lost_time_budget = lost_time_budget, .minimum_first = true};
}

TEST(ScaleInSafely, NothingIsTriedBeforeTheRateFalls) {
  ScaleIn policy(16, careful(100));
  double duality_gap = 1;
  for (int i = 0; i < 300; ++i) EXPECT_FALSE(run(policy, duality_gap, 0.1, 1));
  run(policy, duality_gap, 0.08, 20);
  EXPECT_EQ(policy.workers(), 16u);
  for (int i = 0; i < 20 && policy.workers() == 16; ++i) run(policy, duality_gap, 0.069, 1);
  EXPECT_EQ(policy.workers(), 1u);
  EXPECT_THAT(policy.reason(), HasSubstr("trying 1"));
}

// One worker of 16 needs at most 16 s for an iteration of 1 s, and is judged by two.
TEST(ScaleInSafely, ATryTakesNoLongerThanAllBeforeIt) {
  ScaleIn policy(16, careful());
  double duality_gap = 1;
  run(policy, duality_gap, 1, 5);
  int s = 5;
  for (; s < 99 && policy.workers() == 16; ++s) run(policy, duality_gap, 0.1, 1);
  EXPECT_EQ(s, 32);
}

TEST(ScaleInSafely, TheFirstIterationOfATryDoesNotCount) {
  for (const bool first_is_bad : {true, false}) {
    ScaleIn policy(2,
                   {.window = 4, .lost_time_budget = 0, .minimum_first = true, .decayed_ratio = 1});
    double duality_gap = 1;
    run(policy, duality_gap, 0.4, 5);
    ASSERT_EQ(policy.workers(), 1u);
    run(policy, duality_gap, first_is_bad ? 0.01 : 9, 1);
    run(policy, duality_gap, first_is_bad ? 0.5 : 0.3, 2);
    EXPECT_EQ(policy.workers(), first_is_bad ? 1u : 2u);
  }
}

// The rate of many workers falls by a factor of e in 2.5 units of ln(gap). The rate of one worker
// is constant: it is below the rate of many before the try, and above the rate that many would have
// after the try.
TEST(ScaleInSafely, ATryIsComparedWithTheExpectedLowerRate) {
  for (const bool sinks : {true, false}) {
    ScaleIn policy(16, {.window = 4,
                        .lost_time_budget = 0,
                        .minimum_first = true,
                        .decayed_ratio = sinks ? 0.5 : 2});
    double duality_gap = 1;
    double rate = 0.1;
    for (int i = 0; i < 99 && policy.workers() == 16; ++i) {
      if (sinks) rate = 0.1 * std::exp(0.4 * std::log(duality_gap));
      run(policy, duality_gap, rate, 1);
    }
    ASSERT_EQ(policy.workers(), 1u);
    for (int i = 0; i < 3; ++i) policy.observe(duality_gap *= std::exp(-0.5), 0.5 / (0.9 * rate));
    EXPECT_EQ(policy.workers(), sinks ? 1u : 16u);
  }
}

// The rate of many workers falls by a factor of e per unit. The assumed trend is limited to half of
// that: a fall to 0.61 of the value in the unit between the window before the try and that of the
// try.
TEST(ScaleInSafely, ASteepTrendIsNotBelieved) {
  for (const double part : {0.5, 0.7}) {
    ScaleIn policy(16, careful());
    double duality_gap = 1;
    double rate = 0.1;
    for (int i = 0; i < 99 && policy.workers() == 16; ++i) {
      rate = 0.1 * std::exp(std::log(duality_gap));
      run(policy, duality_gap, rate, 1);
    }
    ASSERT_EQ(policy.workers(), 1u);
    for (int i = 0; i < 3; ++i)
      policy.observe(duality_gap *= std::exp(-0.42), 0.42 / (part * rate));
    EXPECT_EQ(policy.workers(), part > 0.61 ? 1u : 16u);
  }
}

TEST(ScaleInSafely, OnConstantRatesTriesBecomeRarerAndRarer) {
  ScaleIn policy(4, {.window = 4, .minimum_first = true, .decayed_ratio = 1});
  double duality_gap = 1;
  std::vector<int> tries;
  for (int s = 1; s <= 600; ++s) {
    const bool was_trying = policy.workers() == 1;
    policy.observe(duality_gap *= std::exp(was_trying ? -0.3 : -0.4), 1);
    if (!was_trying && policy.workers() == 1) tries.push_back(s);
  }
  // Tries are repeated, because the best number may fall at any time.
  ASSERT_GE(tries.size(), 3u);
  for (std::size_t i = 1; i < tries.size(); ++i) EXPECT_GE(tries[i], 2 * tries[i - 1]);
}

TEST(ScaleInSafely, HalvesAreTriedIfTheLeastNumberHasFailed) {
  ScaleIn policy(16, careful(100));
  double duality_gap = 1;
  run(policy, duality_gap, 1, 5);
  for (int i = 0; i < 99 && policy.workers() == 16; ++i) run(policy, duality_gap, 0.4, 1);
  ASSERT_EQ(policy.workers(), 1u);
  run(policy, duality_gap, 0.01, 3);
  ASSERT_EQ(policy.workers(), 16u);
  run(policy, duality_gap, 0.4, 4);
  EXPECT_EQ(policy.workers(), 8u);
}

// A law like that of CoCoA: an iteration of K workers takes 16/K + 0.1 s and lowers ln(gap) by a
// tenth of K^-b, where b grows from 0.6 to `b_end` as the gap falls.
double seconds_to_the_end(double b_end, double jitter, std::uint32_t workers,
                          const std::function<std::uint32_t(double, double)>& next) {
  Random random(3);
  double total = 0;
  for (double duality_gap = 1; duality_gap > 1e-5;) {
    const double seconds = 16.0 / workers + 0.1;
    const double depth = std::clamp(-std::log10(duality_gap) / 4, 0.0, 1.0);
    duality_gap *= std::exp(-0.1 * std::pow(workers, -(0.6 + (b_end - 0.6) * depth)));
    total += seconds;
    workers = next(duality_gap * std::exp(jitter * random.normal()), seconds);
  }
  return total;
}

// Covers laws in which more workers are best to the end (0.8), laws in which fewer are better
// (1.3), and laws between these.
TEST(ScaleInSim, IsNoMoreThanFivePercentSlowerThanTheBestStaticNumber) {
  for (const double b_end : {0.8, 1.0, 1.3, 1.6}) {
    for (const double jitter : {0.0, 0.02}) {
      double best = 1e300;
      for (const std::uint32_t k : {1u, 2u, 4u, 8u, 16u}) {
        best = std::min(best, seconds_to_the_end(b_end, 0, k, [k](double, double) { return k; }));
      }
      ScaleIn policy(16, {});
      const double ours =
          seconds_to_the_end(b_end, jitter, 16, [&](double duality_gap, double seconds) {
            policy.observe(duality_gap, seconds);
            return policy.workers();
          });
      EXPECT_LE(ours, 1.05 * best) << "b " << b_end << ", jitter " << jitter;
    }
  }
}

// A law like that of safe adding: two workers and more lower ln(gap) at about the same rate per
// second. The rate falls between 3 and 6, where one worker becomes `alone` times as fast as many.
double seconds_if_safe(double alone, double jitter, std::uint32_t workers,
                       const std::function<std::uint32_t(double, double)>& next) {
  Random random(3);
  double total = 0;
  for (double duality_gap = 1; duality_gap > 1e-5;) {
    const double seconds = 8.0 / workers + 0.1;
    const double bend = std::clamp((-std::log(duality_gap) - 3) / 3, 0.0, 1.0);
    const double of_one = workers == 1 ? 1 + (alone - 1) * bend : 1;
    duality_gap *= std::exp(-(1 - 0.75 * bend) * of_one / workers);
    total += seconds;
    workers = next(duality_gap * std::exp(jitter * random.normal()), seconds);
  }
  return total;
}

// Trying halves is 10 % slower if one worker alone is not better, and 65 % slower if it is 1.7
// times as fast.
TEST(ScaleInSim, WithSafeAddingItFindsTheBestNumberAtLittleLoss) {
  for (const double alone : {0.7, 0.9, 1.0, 1.3, 1.7, 2.5}) {
    for (const double jitter : {0.0, 0.01}) {
      double best = 1e300;
      for (const std::uint32_t k : {1u, 2u, 4u, 8u, 16u}) {
        best = std::min(best, seconds_if_safe(alone, 0, k, [k](double, double) { return k; }));
      }
      ScaleIn policy(16, {.minimum_first = true});
      const double ours =
          seconds_if_safe(alone, jitter, 16, [&](double duality_gap, double seconds) {
            policy.observe(duality_gap, seconds);
            return policy.workers();
          });
      EXPECT_LE(ours, (alone >= 1 ? 1.12 : 1.2) * best) << alone << ", jitter " << jitter;
    }
  }
}

}  // namespace scale_in_test
}  // namespace surety::elastic
