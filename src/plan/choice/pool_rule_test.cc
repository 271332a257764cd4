#include "plan/choice/pool_rule.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/statistics.h"

namespace surety::plan {
namespace pool_rule_test {

constexpr double kStart = 2.3;

// An attempt of the full version whose metric falls like 1 / (1 + 3 k).
Belief belief_after(std::uint32_t passes) {
  Belief belief({{1}, {1.2}}, kStart, {.draws = 100});
  belief.begin();
  for (std::uint32_t k = 1; k <= passes; ++k) {
    belief.observe(0, {0, static_cast<double>(k), kStart / (1 + 3 * k), 0.01});
  }
  return belief;
}

PoolVariant variant(std::uint32_t version, double pass_s, double price = 1) {
  return {.version = version, .time = {std::log(pass_s), 0.05}, .price_per_s = price};
}

// The chance to be certified that nearly all draws reach.
double nearly_all(const PoolChoice& choice) {
  double best = 0;
  for (const std::vector<double>& kept : choice.kept) best = std::max(best, quantile(kept, 0.025));
  return best;
}

TEST(PoolRule, WithNoTimeForDearVersionsTheQuickOneIsChosen) {
  const Belief belief = belief_after(2);
  // The slow variant costs almost nothing.
  const std::vector<PoolVariant> variants{variant(0, 1000, 0.001), variant(1, 10)};
  const PoolGoal goal{.target = 0.4, .passes_max = 50};
  const auto chosen = [&](double seconds_left) {
    return choose(belief, variants, 0.1, false, {}, goal, {seconds_left}).option.variant;
  };
  EXPECT_EQ(chosen(1e9), 0u);
  EXPECT_EQ(chosen(500), 1u);
}

TEST(PoolRule, NodesThatCostNothingDoNotMakeTheDeadlineCountForNothing) {
  const Belief belief = belief_after(2);
  const std::vector<PoolVariant> variants{variant(0, 1000, 0), variant(1, 10, 1)};
  const PoolGoal goal{.target = 0.4, .passes_max = 50};
  EXPECT_EQ(choose(belief, variants, 0.1, false, {}, goal, {500}).option.variant, 1u);
}

TEST(PoolRule, MoreTimeAndMoreMoneyNeverLowerWhatMayBePromised) {
  const Belief belief = belief_after(3);
  const std::vector<PoolVariant> variants{variant(0, 10), variant(1, 7)};
  const PoolGoal goal{.target = 0.19, .passes_max = 50};
  const auto low = [&](const PoolMoment& now) {
    return nearly_all(choose(belief, variants, 0.1, false, {{0, 0, true, 3}}, goal, now));
  };
  double before = 0;
  for (const double seconds : {5.0, 40.0, 80.0, 160.0, 640.0, 5000.0}) {
    const double now = low({seconds});
    EXPECT_GE(now, before - 0.02) << seconds;
    before = now;
  }
  EXPECT_EQ(low({5}), 0);
  EXPECT_GT(before, 0.9);
  EXPECT_EQ(low({5000, 5.0}), 0);
  EXPECT_GT(low({5000, 5000.0}), 0.9);
}

TEST(PoolRule, AnAttemptGoesOverToFullerVersionsOfItsOwnFamilyOnly) {
  const Belief belief = belief_after(2);
  std::vector<PoolVariant> variants{variant(0, 10), variant(1, 7), variant(0, 10), variant(1, 7)};
  variants[2].family = variants[3].family = 1;
  const PoolGoal goal{.target = 0.19, .passes_max = 50};
  const auto onward = [&](std::uint32_t from) {
    std::vector<std::uint32_t> to;
    for (const PoolOption& option :
         choose(belief, variants, 0.1, false, {{0, from, true, 2}}, goal, {1e9}).options) {
      if (option.attempt) to.push_back(option.variant);
    }
    return to;
  };
  EXPECT_EQ(onward(3), (std::vector<std::uint32_t>{2, 3}));
  EXPECT_EQ(onward(1), (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(onward(2), (std::vector<std::uint32_t>{2}));
}

TEST(PoolRule, AnAttemptHasNoMorePassesThanItIsAllowed) {
  const Belief belief = belief_after(5);
  const std::vector<PoolVariant> variants{variant(0, 10), variant(1, 10)};
  const PoolGoal goal{.target = 0.06, .passes_max = 50};
  const auto cost = [&](std::uint32_t passes) {
    const PoolChoice choice =
        choose(belief, variants, 0.1, false, {{0, 0, true, passes}}, goal, {1e9});
    return choice.options.front().cost_mean;
  };
  // Some ten more passes are needed. With one pass left another attempt must begin.
  EXPECT_GT(cost(49), cost(5) + 10);
}

// The target is below nearly every floor. Options are compared by the cost of a million passes, but
// these costs will not be paid.
TEST(PoolRule, NoDrawIsExpectedToCostMoreThanCanBeSpent) {
  const Belief belief = belief_after(3);
  const PoolGoal goal{.target = 0.001, .passes_max = 50};
  const auto option = [&](bool may_begin, double seconds_left) {
    std::vector<PoolVariant> variants{variant(0, 10)};
    variants[0].may_begin = may_begin;
    return choose(belief, variants, 0.1, false, {{0, 0, true, 3}}, goal, {seconds_left})
        .options.front();
  };
  // Fresh attempts follow until the deadline.
  EXPECT_LE(option(true, 1000).cost_mean, 1000);
  EXPECT_GT(option(true, 1000).cost_mean, 700);
  // No fresh attempt may follow. The attempt has 47 passes left, of 10 s each.
  EXPECT_LE(option(false, 1e9).cost_mean, 500);
  EXPECT_GT(option(false, 1e9).cost_mean, 200);
  EXPECT_GT(option(false, 1e9).cost, 1e5);
  EXPECT_LE(option(false, 100).cost_mean, 100);
}

TEST(PoolRule, AnAttemptGoesOverToFullerVersionsOnly) {
  const Belief belief = belief_after(2);
  const std::vector<PoolVariant> variants{variant(0, 10), variant(1, 10)};
  const auto continues_with = [&](bool switches, std::uint32_t candidate) {
    const PoolGoal goal{.target = 0.3, .passes_max = 50, .switches = switches};
    std::vector<std::uint32_t> out;
    for (const PoolOption& option :
         choose(belief, variants, 0.1, false, {{0, candidate}}, goal, {1e9}).options) {
      if (option.attempt) out.push_back(option.variant);
    }
    return out;
  };
  EXPECT_EQ(continues_with(true, 0), (std::vector<std::uint32_t>{0}));
  EXPECT_EQ(continues_with(true, 1), (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(continues_with(false, 1), (std::vector<std::uint32_t>{1}));
}

TEST(PoolRule, OfTwoAlikeTheOneIsChosenThatWasTriedLess) {
  const Belief belief({{1}, {1}}, kStart, {.draws = 100});
  const std::vector<PoolVariant> variants{variant(0, 10), variant(1, 10)};
  const auto chosen = [&](std::vector<double> tried) {
    const PoolGoal goal{.target = 0.4, .passes_max = 50, .tried = std::move(tried)};
    return choose(belief, variants, 0.1, false, {}, goal, {1e9}).option.variant;
  };
  EXPECT_EQ(chosen({3, 0}), 1u);
  EXPECT_EQ(chosen({0, 3}), 0u);
}

TEST(PoolRule, TheChanceOfAFailedCertificationIsSubtracted) {
  const Belief belief = belief_after(3);
  const std::vector<PoolVariant> variants{variant(0, 10), variant(1, 10)};
  const PoolGoal goal{.target = 0.4, .confirmed = 0.95, .passes_max = 50};
  const PoolChoice choice = choose(belief, variants, 0.1, false, {{0, 0, true, 3}}, goal, {1e6});
  EXPECT_LE(choice.kept_high, 0.95);
  EXPECT_GT(nearly_all(choice), 0.9);
}

// With local SGD, each of four workers takes half the steps of each of two workers.
TEST(PoolRule, WorkersWithACheaperButLessEffectivePassAreNotPreferred) {
  Belief belief({{1}}, kStart, {.draws = 100, .workers = WorkersLaw{0.5, 0.35}});
  const double two = std::log(0.5);
  const double four = 0;
  for (const double workers_log : {two, four}) {
    const std::uint32_t attempt = belief.begin();
    for (std::uint32_t k = 1; k <= 4; ++k) {
      const double done = workers_log == two ? k : k / 2.0;
      belief.observe(attempt,
                     {0, static_cast<double>(k), kStart / (1 + 3 * done), 0.01, workers_log});
    }
  }
  // A pass of two workers costs 10, a pass of four costs 8.
  std::vector<PoolVariant> variants{variant(0, 4, 2), variant(0, 10, 1)};
  variants[1].workers_log = two;
  const PoolGoal goal{.target = 0.15, .passes_max = 50};
  const auto chosen = [&] {
    return choose(belief, variants, 0.1, false, {}, goal, {1e9}).option.variant;
  };
  EXPECT_EQ(chosen(), 1u);
  variants[1].workers_log = four;  // Now two workers learn no more per pass than four.
  EXPECT_EQ(chosen(), 0u);
}

}  // namespace pool_rule_test
}  // namespace surety::plan
