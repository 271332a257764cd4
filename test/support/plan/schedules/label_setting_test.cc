// The fixed schedules of the expanded graph, with the exact rule and with DepL's.
#include "test/support/plan/schedules/label_setting.h"

#include <gtest/gtest.h>

#include <cmath>

#include "test/support/plan/schedules/blind_testing.h"
#include "test/support/plan/schedules/evaluate_fixed.h"
#include "test/support/plan/schedules/fixed_search.h"
#include "test/support/plan/schedules/tick_chances.h"

namespace surety::plan {
namespace label_setting_test {

using testing::tiny_mdp;
using testing::tiny_starts;
using testing::TinySpec;

const std::vector<double> kOmegas{0.5, 0.8, 0.9, 0.95};

// Each pass goes down by `step` levels with certainty; level 0 is the target.
Kernel steps_of(std::size_t step, std::size_t levels) {
  Kernel kernel;
  for (std::size_t l = 0; l < levels; ++l) {
    kernel.add_row(static_cast<std::uint32_t>(l - std::min(l, step)), {1.0});
  }
  return kernel;
}

// Two variants: one goes down a level in a tick for 1, the other three levels in two ticks for 4.
Mdp two_sure_variants() {
  Mdp mdp;
  mdp.ticks = 12;
  mdp.success = std::vector<double>(10, 0.0);
  mdp.success[0] = 1;
  mdp.variants.push_back({.pass = steps_of(3, 10), .duration = {0, 0, 1}, .cost = 4});
  mdp.variants.push_back({.pass = steps_of(1, 10), .duration = {0, 1}, .cost = 1});
  mdp.switches = {{}, {{.to = 0, .ticks = 1, .cost = 0.5, .jump = std::nullopt}}};
  return mdp;
}

TEST(TickChances, SumOfTwoDurationsIsTheirConvolution) {
  const TickChances sum = TickChances(3).plus({0, 0.5, 0.5}, 10).plus({0, 0.5, 0.5}, 10);
  EXPECT_DOUBLE_EQ(sum.at(5), 0.25);
  EXPECT_DOUBLE_EQ(sum.at(6), 0.5);
  EXPECT_DOUBLE_EQ(sum.at(7), 0.25);
  EXPECT_EQ(sum.quantile(0.75), 6u);
  EXPECT_EQ(sum.quantile(0.76), 7u);
}

TEST(TickChances, WhatIsTooLateIsLost) {
  EXPECT_DOUBLE_EQ(TickChances(3).plus({0, 0.5, 0.5}, 4).total(), 0.5);
  EXPECT_DOUBLE_EQ(TickChances(3).plus({0, 0.5, 0.5}, 3).total(), 0);
  EXPECT_DOUBLE_EQ(TickChances(3).within({4, 9}).total(), 0);
  // Never reached: one past the last tick.
  EXPECT_EQ(TickChances(3).plus({0, 0.5, 0.5}, 4).quantile(0.9), 5u);
}

TEST(TickChances, DominanceLooksAtEveryTick) {
  const TickChances sure = TickChances(0).plus({0, 0, 1}, 9);          // The time is 2.
  const TickChances risky = TickChances(0).plus({0, 0.5, 0, 0.5}, 9);  // The time is 1 or 3.
  EXPECT_FALSE(sure.is_no_later_than(risky));
  EXPECT_FALSE(risky.is_no_later_than(sure));
  EXPECT_TRUE(risky.is_no_later_than(sure.later_by(1)));
  EXPECT_TRUE(sure.is_same_as(sure));
}

TEST(LabelSetting, MixesVariantsWhereTheDeadlineAsksForIt) {
  // There are nine levels. The slow variant takes 9 passes, 9 ticks, cost 9; the fast one takes 3
  // passes, 6 ticks, cost 12.
  Mdp mdp = two_sure_variants();
  const auto plan_at = [&](std::uint32_t ticks) {
    mdp.ticks = ticks;
    return label_setting(mdp, tiny_starts(mdp), {0.9}, {.rule = LabelRule::kExact}).plans[0];
  };
  EXPECT_EQ(plan_at(9)->schedule, (Schedule{{1, 9}}));
  // Three slow passes, a tick to switch, two fast passes: 3 + 1 + 4 = 8 ticks, cost 3 + 0.5 + 8 =
  // 11.5.
  EXPECT_EQ(plan_at(8)->schedule, (Schedule{{1, 3}, {0, 2}}));
  EXPECT_NEAR(plan_at(8)->cost, 0.1 + 11.5, 1e-12);  // A start on variant 1 costs 0.1.
  EXPECT_EQ(plan_at(7)->schedule, (Schedule{{0, 3}}));
  EXPECT_FALSE(plan_at(5));
}

TEST(LabelSetting, BlocksAreLimited) {
  const Mdp mdp = two_sure_variants();
  const auto found = label_setting(mdp, {tiny_starts(mdp)[1]}, {0.9},
                                   {.rule = LabelRule::kExact, .blocks_max = 1});
  EXPECT_EQ(found.plans[0]->schedule, (Schedule{{1, 9}}));
}

// Levels 3 to 0; a pass takes a tick. Variants 1 to 3 go down a level per pass, to level 1. Variant
// 0 goes only from 1 to 0. Variants 2 and 3 are cheap and can switch to 1, which can switch to 0;
// switches are free.
Mdp ladder_of_variants() {
  Mdp mdp;
  mdp.ticks = 4;
  mdp.success = {1, 0, 0, 0};
  Kernel down;
  Kernel last;
  for (const std::uint32_t to : {0u, 1u, 1u, 2u}) down.add_row(to, {1.0});
  for (const std::uint32_t to : {0u, 0u, 2u, 3u}) last.add_row(to, {1.0});
  mdp.variants.push_back({.pass = last, .duration = {0, 1}, .cost = 1});
  mdp.variants.push_back({.pass = down, .duration = {0, 1}, .cost = 1});
  mdp.variants.push_back({.pass = down, .duration = {0, 1}, .cost = 0.1});
  mdp.variants.push_back({.pass = down, .duration = {0, 1}, .cost = 0.5});
  const MdpSwitch to_0{.to = 0, .jump = std::nullopt};
  const MdpSwitch to_1{.to = 1, .jump = std::nullopt};
  mdp.switches = {{}, {to_0}, {to_1}, {to_1}};
  return mdp;
}

std::vector<MdpStart> free_starts() {
  const std::vector<double> highest{0, 0, 0, 1};
  return {{0, 0, highest}, {1, 0, highest}, {2, 0, highest}, {3, 0, highest}};
}

std::vector<std::optional<BlindPlan>> exact_plans(const Mdp& mdp, const std::vector<double>& omegas,
                                                  std::uint32_t blocks_max) {
  const LabelOptions options{.rule = LabelRule::kExact, .blocks_max = blocks_max};
  return label_setting(mdp, free_starts(), omegas, options).plans;
}

TEST(LabelSetting, CheapLabelWithoutSwitchesLeftDoesNotReplaceOneWithThem) {
  const Mdp mdp = ladder_of_variants();
  EXPECT_EQ(exact_plans(mdp, {0.9}, 3)[0]->schedule, (Schedule{{2, 1}, {1, 1}, {0, 1}}));
  const auto two_blocks = exact_plans(mdp, {0.9}, 2)[0];
  ASSERT_TRUE(two_blocks);
  EXPECT_EQ(two_blocks->schedule, (Schedule{{1, 2}, {0, 1}}));
}

TEST(LabelSetting, CheapLabelThatMayBeLateDoesNotReplaceASureOne) {
  Mdp mdp = ladder_of_variants();
  mdp.ticks = 3;
  mdp.variants[2].duration = {0, 0.9, 0, 0.1};  // The chance that one pass of it is in time is 0.9.
  const auto plans = exact_plans(mdp, {0.5, 0.95}, 3);
  EXPECT_EQ(plans[0]->schedule, (Schedule{{2, 1}, {1, 1}, {0, 1}}));
  ASSERT_TRUE(plans[1]);
  EXPECT_EQ(plans[1]->schedule, (Schedule{{3, 1}, {1, 1}, {0, 1}}));
}

TEST(LabelSetting, CheapLabelThatMayBeHighDoesNotReplaceASureOne) {
  Mdp mdp = ladder_of_variants();
  mdp.ticks = 3;
  Kernel often;  // It falls like `down`, but only in nine of ten cases.
  often.add_row(0, {1.0});
  often.add_row(1, {1.0});
  often.add_row(1, {0.9, 0.1});
  often.add_row(2, {0.9, 0.1});
  mdp.variants[2].pass = often;
  const auto plans = exact_plans(mdp, {0.5, 0.95}, 3);
  EXPECT_EQ(plans[0]->schedule, (Schedule{{2, 1}, {1, 1}, {0, 1}}));
  ASSERT_TRUE(plans[1]);
  EXPECT_EQ(plans[1]->schedule, (Schedule{{3, 1}, {1, 1}, {0, 1}}));
}

TEST(LabelSetting, CheapLabelThatMayBeTooEarlyDoesNotReplaceASureOne) {
  Mdp mdp = ladder_of_variants();
  mdp.variants[0].first_tick = 3;
  mdp.variants[2].duration = {0, 0.4, 0.6};  // With a pass of variant 1 as well, it is tick 2 or 3.
  mdp.variants[3].duration = {0, 0, 1};  // With a pass of variant 1 as well, it is always tick 3.
  const auto plan = exact_plans(mdp, {0.9}, 3)[0];
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->schedule, (Schedule{{3, 1}, {1, 1}, {0, 1}}));
}

TEST(LabelSetting, TimeIsADistributionNotItsMean) {
  // The mean is two ticks, but every fifth pass takes six. Two passes take 4 ticks with 0.8 * 0.8.
  Mdp mdp;
  mdp.ticks = 4;
  mdp.success = {1, 0, 0};
  mdp.variants.push_back(
      {.pass = steps_of(1, 3), .duration = {0, 0.8, 0, 0, 0, 0, 0.2}, .cost = 1});
  mdp.switches = {{}};
  const auto plans = label_setting(mdp, tiny_starts(mdp), {0.6, 0.7}, {}).plans;
  ASSERT_TRUE(plans[0]);
  EXPECT_NEAR(plans[0]->probability, 0.64, 1e-12);
  EXPECT_FALSE(plans[1]);
}

// Cheapest fixed schedules by enumeration.
std::vector<double> enumerated_costs(const Mdp& mdp, const std::vector<MdpStart>& starts,
                                     std::size_t blocks_max) {
  std::vector<double> costs(kOmegas.size(), 1e9);
  testing::for_all_schedules(mdp, blocks_max, mdp.ticks, [&](const Schedule& schedule) {
    const BlindPlan plan = testing::joint_fixed(mdp, starts, schedule);
    for (std::size_t k = 0; k < kOmegas.size(); ++k) {
      if (plan.probability >= kOmegas[k]) costs[k] = std::min(costs[k], plan.cost);
    }
  });
  return costs;
}

void expect_exact(const TinySpec& spec, std::uint64_t seed) {
  const Mdp mdp = tiny_mdp(spec, seed);
  const auto starts = tiny_starts(mdp);
  const std::vector<double> costs = enumerated_costs(mdp, starts, 3);
  const auto found = label_setting(mdp, starts, kOmegas, {.rule = LabelRule::kExact});
  for (std::size_t k = 0; k < kOmegas.size(); ++k) {
    ASSERT_EQ(found.plans[k].has_value(), costs[k] < 1e9) << "seed " << seed;
    if (!found.plans[k]) continue;
    EXPECT_NEAR(found.plans[k]->cost, costs[k], 1e-12) << "seed " << seed;
    const BlindPlan same = testing::joint_fixed(mdp, starts, found.plans[k]->schedule);
    EXPECT_NEAR(found.plans[k]->probability, same.probability, 1e-10);
    EXPECT_NEAR(found.plans[k]->cost, same.cost, 1e-12);
    EXPECT_GE(same.probability, kOmegas[k] - 1e-12);
  }
  const auto walked = fixed_search(mdp, starts, kOmegas, 3);
  for (std::size_t k = 0; k < kOmegas.size(); ++k) {
    ASSERT_EQ(walked.plans[k].has_value(), costs[k] < 1e9) << "seed " << seed;
    if (!walked.plans[k]) continue;
    EXPECT_NEAR(walked.plans[k]->cost, costs[k], 1e-12) << "seed " << seed;
    const BlindPlan same = testing::joint_fixed(mdp, starts, walked.plans[k]->schedule);
    EXPECT_NEAR(walked.plans[k]->probability, same.probability, 1e-10);
    EXPECT_NEAR(walked.plans[k]->cost, same.cost, 1e-12);
  }
}

TEST(LabelSetting, ExactRuleIsTheEnumeratedOptimum) {
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    expect_exact({.levels = 4, .ticks = 7}, seed);
    expect_exact({.levels = 4, .ticks = 8, .random_durations = false}, seed);
  }
}

TEST(LabelSetting, ExactRuleIsTheOptimumWhereVariantsComeAndGo) {
  for (std::uint64_t seed = 100; seed < 124; ++seed) {
    expect_exact({.levels = 4, .ticks = 7, .windows = true}, seed);
  }
}

TEST(LabelSetting, DeplIsNeverCheaperThanExactAndSeldomDearer) {
  double exact_total = 0;
  double depl_total = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Mdp mdp = tiny_mdp({.levels = 6, .ticks = 9}, seed);
    const auto starts = tiny_starts(mdp);
    const auto exact = label_setting(mdp, starts, kOmegas, {.rule = LabelRule::kExact});
    const auto depl = label_setting(mdp, starts, kOmegas, {});
    for (std::size_t k = 0; k < kOmegas.size(); ++k) {
      if (!depl.plans[k]) continue;
      ASSERT_TRUE(exact.plans[k]);
      EXPECT_GE(depl.plans[k]->cost, exact.plans[k]->cost - 1e-12);
      EXPECT_GE(depl.plans[k]->probability, kOmegas[k]);
      exact_total += exact.plans[k]->cost;
      depl_total += depl.plans[k]->cost;
    }
  }
  EXPECT_LT(depl_total, 1.05 * exact_total);  // Six levels are few; 400 give better results.
}

TEST(LabelSetting, HigherPromisesAndTighterDeadlinesCostMore) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Mdp mdp = tiny_mdp({.ticks = 10}, seed);
    const LabelOptions exact{.rule = LabelRule::kExact};
    const auto late = label_setting(mdp, tiny_starts(mdp), kOmegas, exact);
    mdp.ticks = 8;
    const auto early = label_setting(mdp, tiny_starts(mdp), kOmegas, exact);
    for (std::size_t k = 0; k < kOmegas.size(); ++k) {
      if (early.plans[k]) {
        ASSERT_TRUE(late.plans[k]);
        EXPECT_GE(early.plans[k]->cost, late.plans[k]->cost - 1e-12);
      }
      if (k == 0 || !late.plans[k]) continue;
      EXPECT_GE(late.plans[k]->cost, late.plans[k - 1]->cost);
    }
  }
}

TEST(LabelSetting, ScheduleProbabilityIsTheSimulatedOne) {
  const Mdp mdp = tiny_mdp({.levels = 6, .ticks = 14}, 5);
  const Schedule schedule{{2, 2}, {1, 1}, {0, 2}};
  const auto plan = evaluate_fixed(mdp, tiny_starts(mdp), schedule);
  ASSERT_TRUE(plan);
  const auto draw = [](const std::vector<double>& chances, Random& random) {
    double left = random.uniform();
    std::size_t at = 0;
    while (at + 1 < chances.size() && left >= chances[at]) left -= chances[at++];
    return at;
  };
  Random random(17);
  constexpr int kRuns = 20000;
  int successes = 0;
  for (int run = 0; run < kRuns; ++run) {
    std::size_t level = mdp.levels() - 1;
    std::size_t tick = 0;
    for (std::size_t leg = 0; leg < schedule.size(); ++leg) {
      const std::size_t v = schedule[leg].variant;
      if (leg > 0) {
        const MdpSwitch& change = testing::switch_of(mdp, schedule[leg - 1].variant, v);
        level = draw(mdp.jumps[*change.jump].row(level), random);
        tick += change.ticks;
      }
      for (std::uint32_t pass = 0; pass < schedule[leg].passes; ++pass) {
        level = draw(mdp.variants[v].pass.row(level), random);
        tick += draw(mdp.variants[v].duration, random);
      }
    }
    successes += level == 0 && tick <= mdp.ticks ? 1 : 0;
  }
  const double p = plan->probability;
  EXPECT_NEAR(static_cast<double>(successes) / kRuns, p, 4 * std::sqrt(p * (1 - p) / kRuns));
  EXPECT_GT(p, 0.1);
  EXPECT_LT(p, 0.95);
}

TEST(LabelSetting, SaysWhenItRanOutOfLabels) {
  const Mdp mdp = tiny_mdp({.ticks = 10}, 3);
  const auto found = label_setting(mdp, tiny_starts(mdp), {0.95}, {.labels_max = 2});
  EXPECT_FALSE(found.complete);
  EXPECT_EQ(found.labels, 2u);
}

TEST(LabelSetting, SchedulesThatCannotBeFollowedHaveNoValue) {
  const Mdp mdp = two_sure_variants();
  EXPECT_FALSE(evaluate_fixed(mdp, tiny_starts(mdp), {{0, 1}, {1, 1}}));
  EXPECT_FALSE(evaluate_fixed(mdp, {tiny_starts(mdp)[0]}, {{1, 1}}));
}

}  // namespace label_setting_test
}  // namespace surety::plan
