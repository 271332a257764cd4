#include "elastic/scale_in.h"

#include <gmock/gmock.h>

#include <cmath>
#include <functional>

#include "base/random.h"

namespace surety::elastic {
namespace {

using ::testing::DoubleEq;
using ::testing::HasSubstr;

TEST(TheilSen, IsTheSlopeOfALine) {
  EXPECT_THAT(theil_sen_slope(std::vector<Observation>{{0, 1}, {1, 3}, {3, 7}}), DoubleEq(2));
}

TEST(TheilSen, OneWildPointOfFiveChangesLittle) {
  const std::vector<Observation> points{{0, 0}, {1, 1}, {2, 2}, {3, 300}, {4, 4}};
  EXPECT_THAT(theil_sen_slope(points), DoubleEq(1));
}

TEST(TheilSen, PointsAtTheSameTimeSayNothing) {
  EXPECT_THAT(theil_sen_slope(std::vector<Observation>{{0, 0}, {0, 50}, {1, 25}}), DoubleEq(0));
}

// Iterations at this rate of ln(gap) per second, each of one second.
bool run(ScaleIn& policy, double& gap, double rate, int iterations) {
  bool changed = false;
  for (int i = 0; i < iterations; ++i) changed = policy.observe(gap *= std::exp(-rate), 1);
  return changed;
}

TEST(ScaleIn, TriesHalfAsManyOnceAWindowIsFull) {
  ScaleIn policy(16, {.window = 4});
  double gap = 1;
  EXPECT_FALSE(run(policy, gap, 1, 4));
  EXPECT_TRUE(run(policy, gap, 1, 1));
  EXPECT_EQ(policy.workers(), 8u);
  EXPECT_THAT(policy.reason(), HasSubstr("16 workers take ln(gap) down by 1/s: trying 8"));
}

TEST(ScaleIn, ABetterRateStaysAndAWorseOneGoesBack) {
  ScaleIn policy(16, {.window = 4});
  double gap = 1;
  run(policy, gap, 1, 5);
  run(policy, gap, 2, 4);
  EXPECT_EQ(policy.workers(), 8u);
  EXPECT_THAT(policy.reason(), HasSubstr("8 workers stay: 2/s instead of 1/s with 16"));
  run(policy, gap, 2, 1);
  EXPECT_EQ(policy.workers(), 4u);
  EXPECT_TRUE(run(policy, gap, 1, 4));
  EXPECT_EQ(policy.workers(), 8u);
  EXPECT_THAT(policy.reason(), HasSubstr("back to 8 workers"));
}

TEST(ScaleIn, AfterAFailureTheNextTryWaitsTwiceAsLong) {
  ScaleIn policy(2, {.window = 2, .wait = 8});
  double gap = 1;
  std::vector<int> tries;
  for (int i = 0; i < 60; ++i) {
    const std::uint32_t before = policy.workers();
    policy.observe(gap *= std::exp(before == 2 ? -1.0 : -0.1), 1);
    if (before == 2 && policy.workers() == 1) tries.push_back(i);
  }
  // Two iterations of a try, then 8, 16, 32 of waiting.
  EXPECT_THAT(tries, ::testing::ElementsAre(2, 12, 30));
}

TEST(ScaleIn, ARateThatHasFallenIsTriedAtOnce) {
  ScaleIn policy(2, {.window = 2, .wait = 1000});
  double gap = 1;
  run(policy, gap, 1, 3);
  run(policy, gap, 0.1, 2);
  EXPECT_EQ(policy.workers(), 2u);
  run(policy, gap, 0.9, 5);
  EXPECT_EQ(policy.workers(), 2u);
  run(policy, gap, 0.3, 3);
  EXPECT_EQ(policy.workers(), 1u);
}

TEST(ScaleIn, PerCostHalfAsManyAtTheSameRateAreBetter) {
  ScaleIn policy(4, {.window = 2, .per_cost = true});
  double gap = 1;
  run(policy, gap, 1, 3);
  run(policy, gap, 0.8, 2);
  EXPECT_THAT(policy.reason(), HasSubstr("2 workers stay"));
}

TEST(ScaleIn, OneWorkerIsTheEnd) {
  ScaleIn policy(1, {});
  double gap = 1;
  EXPECT_FALSE(run(policy, gap, 1, 50));
  EXPECT_EQ(policy.workers(), 1u);
}

TEST(ScaleIn, AGapThatIsNoneIsIgnored) {
  ScaleIn policy(4, {.window = 2});
  for (int i = 0; i < 9; ++i) EXPECT_FALSE(policy.observe(i % 2 == 0 ? 0 : std::nan(""), 1));
}

// A law like that of CoCoA: an iteration of K workers takes 16/K + 0.1 s and takes ln(gap) down by
// K^-b, where b grows from 0.6 to 1.3 as the gap falls.
double step(std::uint32_t workers, double gap) {
  const double depth = std::clamp(-std::log10(gap) / 4, 0.0, 1.0);
  return std::pow(workers, -(0.6 + 0.7 * depth));
}

struct Spent {
  double seconds = 0, node_seconds = 0;
};

Spent train(std::uint32_t workers, const std::function<std::uint32_t(double, double)>& next) {
  Spent run;
  for (double gap = 1; gap > 1e-5;) {
    const double seconds = 16.0 / workers + 0.1;
    gap *= std::exp(-step(workers, gap));
    run.seconds += seconds;
    run.node_seconds += seconds * workers;
    workers = next(gap, seconds);
  }
  return run;
}

TEST(ScaleInSim, IsNoMoreThanFivePercentSlowerThanTheBestStaticNumber) {
  Spent best{1e300, 1e300};
  for (const std::uint32_t k : {1u, 2u, 4u, 8u, 16u}) {
    const Spent run = train(k, [k](double, double) { return k; });
    best = {std::min(best.seconds, run.seconds), std::min(best.node_seconds, run.node_seconds)};
  }
  ScaleIn policy(16, {});
  const Spent run = train(16, [&](double gap, double seconds) {
    policy.observe(gap, seconds);
    return policy.workers();
  });
  EXPECT_LE(run.seconds, 1.05 * best.seconds);
  RecordProperty("best_static_s", std::to_string(best.seconds));
  RecordProperty("feedback_s", std::to_string(run.seconds));
}

}  // namespace
}  // namespace surety::elastic
