#include "plan/belief/belief.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "base/statistics.h"

namespace surety::plan {
namespace belief_test {

constexpr double kStart = 2.3;

Belief belief_of(std::uint64_t seed = 1) {
  return Belief({{1}, {1.4}, {2}}, kStart, {.draws = 100, .seed = seed});
}

void train(Belief& belief, std::uint32_t attempt, std::uint32_t version, std::uint32_t passes,
           const std::function<double(double)>& law) {
  for (std::uint32_t k = 1; k <= passes; ++k) {
    belief.observe(attempt, {version, static_cast<double>(k), law(k), 0.01});
  }
}

double over_draws(const Belief& belief, const std::function<double(std::uint32_t)>& value,
                  double level = 0.5) {
  std::vector<double> values;
  for (std::uint32_t d = 0; d < belief.draws(); ++d) values.push_back(value(d));
  return quantile(values, level);
}

double quick(double k) { return kStart / (1 + 3 * k); }

TEST(Belief, IsTheSameForTheSameSeed) {
  Belief one = belief_of(7);
  Belief same = belief_of(7);
  Belief other = belief_of(8);
  for (Belief* belief : {&one, &same, &other}) train(*belief, belief->begin(), 0, 3, quick);
  bool differs = false;
  for (std::uint32_t d = 0; d < one.draws(); ++d) {
    const double expected = one.onward(d, 0, 0).metric(2);
    EXPECT_EQ(expected, same.onward(d, 0, 0).metric(2));
    differs = differs || expected != other.onward(d, 0, 0).metric(2);
  }
  EXPECT_TRUE(differs);
}

TEST(Belief, PassesOfOneVersionChangeTheBeliefAboutTheOthers) {
  Belief belief = belief_of();
  const auto pruned = [&](std::uint32_t d) { return belief.fresh(d, 2, 0).metric(4); };
  const double before = over_draws(belief, pruned);
  train(belief, belief.begin(), 0, 4, quick);
  EXPECT_LT(over_draws(belief, pruned), 0.8 * before);
}

TEST(Belief, AnAttemptContinuesFromItsState) {
  Belief belief = belief_of();
  train(belief, belief.begin(), 0, 6, quick);
  const double next =
      over_draws(belief, [&](std::uint32_t d) { return belief.onward(d, 0, 0).metric(1); });
  EXPECT_NEAR(next / quick(7), 1, 0.1);
}

// A law with a single power for beginning and tail would mistake the slower tail for a floor.
TEST(Belief, ASharpBeginningDoesNotMakeAFloorOfASlowTail) {
  const auto law = [](double k) { return kStart * std::pow(1 + std::pow(k / 2, 4), -0.8 / 4); };
  Belief belief = belief_of();
  train(belief, belief.begin(), 0, 8, law);
  const double later =
      over_draws(belief, [&](std::uint32_t d) { return belief.onward(d, 0, 0).metric(12); });
  EXPECT_NEAR(later / law(20), 1, 0.2);
}

TEST(Belief, JitterGoesUpMoreOftenAndFartherThanDown) {
  const Belief::Course course{.start = kStart, .scale = 1, .from = 5, .jitter = 0.1};
  const double expected = course.metric(1);
  const double far = 3 * course.jitter * (1 - expected / kStart);
  const double below = course.chance(1, expected * std::exp(-far));
  const double above = 1 - course.chance(1, expected * std::exp(far));
  EXPECT_LT(course.chance(1, expected), 0.45);
  EXPECT_LT(below, 0.01);
  EXPECT_GT(above, 10 * below);
}

TEST(Belief, AnAttemptThatStaysWhereItBeganIsStuckAndSaysLittleOfTheOthers) {
  Belief belief = belief_of();
  train(belief, belief.begin(), 0, 4, quick);
  const auto fresh = [&](std::uint32_t d) { return belief.fresh(d, 0, 0).metric(4); };
  const double before = over_draws(belief, fresh);
  train(belief, belief.begin(), 0, 4, [](double) { return kStart; });
  EXPECT_GT(over_draws(belief, [&](std::uint32_t d) { return belief.chance_stuck(d, 1); }), 0.9);
  EXPECT_LT(over_draws(belief, [&](std::uint32_t d) { return belief.chance_stuck(d, 0); }), 0.01);
  EXPECT_LT(over_draws(belief, fresh), 1.3 * before);
}

TEST(Belief, ACourseAfterAChangeOfVersionStartsNoBetterThanBefore) {
  Belief belief = belief_of();
  train(belief, belief.begin(), 2, 5, quick);
  for (std::uint32_t d = 0; d < belief.draws(); ++d) {
    const double stands = belief.onward(d, 0, 2).metric(0);
    EXPECT_GE(belief.onward(d, 0, 0).metric(0), stands * (1 - 1e-9));
  }
}

// ---- workers ------------------------------------------------------------------------------------

const double kFour = std::log(4.0);
const double kTwo = std::log(2.0);
const double kOne = 0;

Belief of_workers(std::optional<WorkersLaw> law = WorkersLaw{0.5, 0.35}) {
  return Belief({{1}, {1.4}}, kStart, {.draws = 200, .workers = law});
}

// Trains an attempt of the full version that needs `slower` times the passes of quick().
void train_with(Belief& belief, double workers_log, std::uint32_t passes, double slower) {
  const std::uint32_t attempt = belief.begin();
  for (std::uint32_t k = 1; k <= passes; ++k) {
    belief.observe(attempt, {.version = 0,
                             .passes = static_cast<double>(k),
                             .metric = quick(k / slower),
                             .metric_se = 0.01,
                             .workers_log = workers_log});
  }
}

double fresh_metric(const Belief& belief, double workers_log, std::uint32_t version = 0) {
  return over_draws(
      belief, [&](std::uint32_t d) { return belief.fresh(d, version, 0, workers_log).metric(3); });
}

TEST(BeliefOfWorkers, PassesOfTwoWorkersChangeTheBeliefAboutFour) {
  Belief quicker = of_workers();
  Belief slower = of_workers();
  train_with(quicker, kTwo, 4, 0.5);
  train_with(slower, kTwo, 4, 4);
  EXPECT_LT(fresh_metric(quicker, kFour), 0.5 * fresh_metric(slower, kFour));
  // Before any pass of four workers was seen, they are believed to need more passes.
  EXPECT_GT(fresh_metric(quicker, kFour), 1.1 * fresh_metric(quicker, kTwo));
}

TEST(BeliefOfWorkers, TheEffectOfTheNumberIsLearnedFromBothForAllVersions) {
  Belief matters = of_workers();
  Belief same = of_workers();
  train_with(matters, kTwo, 4, 1);
  train_with(same, kTwo, 4, 1);
  train_with(matters, kFour, 4, 2);  // Passes needed grow in proportion to the workers.
  train_with(same, kFour, 4, 1);     // Passes needed do not change.
  for (const std::uint32_t version : {0u, 1u}) {
    const auto ratio = [&](const Belief& belief) {
      return fresh_metric(belief, kFour, version) / fresh_metric(belief, kTwo, version);
    };
    EXPECT_GT(ratio(matters), 1.4) << version;
    EXPECT_LT(ratio(same), 1.3) << version;
  }
}

TEST(BeliefOfWorkers, AnAttemptKeepsItsProgressWhenOtherWorkersContinueIt) {
  Belief belief = of_workers();
  train_with(belief, kTwo, 4, 1);
  for (std::uint32_t d = 0; d < belief.draws(); ++d) {
    const double stands = belief.onward(d, 0, 0, kTwo).metric(0);
    EXPECT_NEAR(belief.onward(d, 0, 0, kFour).metric(0), stands, 1e-9 * stands);
    EXPECT_NEAR(belief.onward(d, 0, 0, kOne).metric(0), stands, 1e-9 * stands);
  }
  const auto next = [&](double workers_log) {
    return over_draws(
        belief, [&](std::uint32_t d) { return belief.onward(d, 0, 0, workers_log).metric(2); });
  };
  EXPECT_LT(next(kOne), next(kTwo));
  EXPECT_LT(next(kTwo), next(kFour));
}

TEST(BeliefOfWorkers, IfTheNumberDoesNotMatterItChangesNothing) {
  Belief with = of_workers(std::nullopt);
  Belief without = of_workers(std::nullopt);
  train_with(with, kFour, 3, 1);
  train_with(without, kOne, 3, 1);
  EXPECT_EQ(fresh_metric(with, kTwo), fresh_metric(without, kOne));
  EXPECT_EQ(with.laws().mean.size() + 1, of_workers().laws().mean.size());
}

}  // namespace belief_test
}  // namespace surety::plan
