// Blind schedules that stop early.
#include "bench/plan_peers/block_search.h"

#include <gtest/gtest.h>

#include <cmath>

#include "test/support/plan/decision/hull.h"
#include "test/support/plan/schedules/blind_testing.h"

namespace surety::bench {
namespace block_search_test {

using namespace plan;

using testing::Joint;
using testing::tiny_mdp;
using testing::tiny_starts;

const std::vector<double> kOmegas{0.5, 0.8, 0.9};

// One variant; each pass takes a tick, costs 1 and meets the target with chance one half.
Mdp coin() {
  Mdp mdp;
  mdp.ticks = 3;
  mdp.success = {1, 0};
  Kernel toss;
  toss.add_row(0, {1.0});
  toss.add_row(0, {0.5, 0.5});
  mdp.variants.push_back({.pass = toss, .duration = {0, 1}, .cost = 1});
  mdp.switches = {{}};
  return mdp;
}

TEST(BlockSearch, PaysOnlyUntilTheTargetIsObserved) {
  // At most three tosses: success 1 - 1/8, and 1 + 1/2 + 1/4 tosses on average.
  const Mdp mdp = coin();
  const auto result = early_stop_search(mdp, tiny_starts(mdp), {0.8, 0.9}, {});
  ASSERT_TRUE(result.plans[0]);
  EXPECT_NEAR(result.plans[0]->probability, 0.875, 1e-12);
  EXPECT_NEAR(result.plans[0]->cost, 1.75, 1e-12);
  EXPECT_FALSE(result.plans[1]);
}

TEST(BlockSearch, NoPassBeginsThatCannotEndInTime) {
  Mdp mdp = coin();
  mdp.variants[0].duration = {0, 0, 0.5, 0.5};  // A pass takes two or three of the three ticks.
  const auto plan = evaluate_early_stop(mdp, run_out(mdp, 0), tiny_starts(mdp), {{0, 1}});
  EXPECT_NEAR(plan->probability, 0.5, 1e-12);
  EXPECT_NEAR(plan->cost, 1, 1e-12);
}

void stop_where(Joint& joint, const std::function<bool(std::uint32_t, std::size_t)>& stops,
                const Mdp& mdp, BlindPlan& plan) {
  for (auto it = joint.begin(); it != joint.end();) {
    if (stops(it->first.first, it->first.second)) {
      plan.probability += it->second * mdp.success[it->first.second];
      it = joint.erase(it);
    } else {
      ++it;
    }
  }
}

double total(const Joint& joint) {
  double sum = 0;
  for (const auto& [at, chance] : joint) sum += chance;
  return sum;
}

// The same run on the joint chances of time and level. Without success if a leg is never reached,
// because such a schedule abandons runs.
BlindPlan joint_early_stop(const Mdp& mdp, const std::vector<MdpStart>& starts,
                           const Schedule& schedule) {
  const MdpStart& start = starts[schedule.front().variant];
  BlindPlan plan{schedule, 0, start.cost};
  Joint joint = testing::joint_start(start);
  for (std::size_t leg = 0; leg < schedule.size(); ++leg) {
    const std::size_t v = schedule[leg].variant;
    std::uint32_t shortest = 1;
    while (mdp.variants[v].duration[shortest] == 0) ++shortest;
    const auto too_late = [&](std::uint32_t tick, std::size_t) {
      return tick + shortest > mdp.ticks || !testing::runs_at(mdp, v, tick);
    };
    if (leg > 0) {
      const MdpSwitch& change = testing::switch_of(mdp, schedule[leg - 1].variant, v);
      const double before = total(joint);
      stop_where(
          joint, [&](std::uint32_t t, std::size_t l) { return too_late(t + change.ticks, l); }, mdp,
          plan);
      if (before > 1e-12 && total(joint) == 0) return {schedule, 0, plan.cost};
      plan.cost += change.cost * total(joint);
      joint = testing::joint_switch(mdp, change, joint);
    }
    const bool last = leg + 1 == schedule.size();
    for (std::uint32_t pass = 0; last || pass < schedule[leg].passes; ++pass) {
      stop_where(joint, too_late, mdp, plan);
      if (joint.empty()) break;
      plan.cost += mdp.variants[v].cost * total(joint);
      joint = testing::joint_pass(mdp, v, joint);
      stop_where(
          joint, [](std::uint32_t, std::size_t l) { return l == 0; }, mdp, plan);
    }
  }
  return plan;
}

TEST(BlockSearch, TimeAndLevelStayIndependentWhileTheRunGoesOn) {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Mdp mdp = tiny_mdp({.levels = 4, .ticks = 8, .windows = seed % 2 == 1}, seed);
    const auto starts = tiny_starts(mdp);
    const RunOut out = run_out(mdp, 0);
    for (const Schedule& schedule :
         {Schedule{{0, 1}}, Schedule{{2, 2}, {0, 1}}, Schedule{{2, 1}, {1, 3}, {0, 1}}}) {
      const auto plan = evaluate_early_stop(mdp, out, starts, schedule);
      if (!plan) continue;
      compared += 1;
      const BlindPlan joint = joint_early_stop(mdp, starts, schedule);
      EXPECT_NEAR(plan->probability, joint.probability, 1e-10) << "seed " << seed;
      EXPECT_NEAR(plan->cost, joint.cost, 1e-10) << "seed " << seed;
    }
  }
  EXPECT_GT(compared, 40);
}

TEST(BlockSearch, FindsTheEnumeratedOptimum) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const Mdp mdp = tiny_mdp({.levels = 4, .ticks = 7}, seed);
    const auto starts = tiny_starts(mdp);
    std::vector<double> costs(kOmegas.size(), 1e9);
    testing::for_all_schedules(mdp, 3, mdp.ticks, [&](const Schedule& schedule) {
      if (schedule.back().passes > 1) return;  // The last leg continues in any case.
      const BlindPlan plan = joint_early_stop(mdp, starts, schedule);
      for (std::size_t k = 0; k < kOmegas.size(); ++k) {
        if (plan.probability >= kOmegas[k]) costs[k] = std::min(costs[k], plan.cost);
      }
    });
    const auto result = early_stop_search(mdp, starts, kOmegas, {});
    for (std::size_t k = 0; k < kOmegas.size(); ++k) {
      ASSERT_EQ(result.plans[k].has_value(), costs[k] < 1e9) << "seed " << seed;
      if (!result.plans[k]) continue;
      EXPECT_NEAR(result.plans[k]->cost, costs[k], 1e-10) << "seed " << seed;
    }
  }
}

TEST(BlockSearch, LiesBetweenTheFixedScheduleAndTheClosedLoop) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const Mdp mdp = tiny_mdp({.ticks = 9}, seed);
    const auto starts = tiny_starts(mdp);
    const auto fixed = label_setting(mdp, starts, kOmegas, {.rule = LabelRule::kExact});
    const auto stopped = early_stop_search(mdp, starts, kOmegas, {});
    for (std::size_t k = 0; k < kOmegas.size(); ++k) {
      if (fixed.plans[k]) {
        ASSERT_TRUE(stopped.plans[k]);
        // The search includes the fixed schedule with early stopping and a last block that
        // continues.
        const auto same =
            evaluate_early_stop(mdp, run_out(mdp, 0), starts, fixed.plans[k]->schedule);
        EXPECT_GE(same->probability, fixed.plans[k]->probability - 1e-10);
        EXPECT_LE(stopped.plans[k]->cost, same->cost + 1e-10);
      }
      if (!stopped.plans[k]) continue;
      const Hull closed = hull(mdp, starts, stopped.plans[k]->probability, nullptr, {});
      EXPECT_LE(closed.cost_at_omega, stopped.plans[k]->cost + 1e-6) << "seed " << seed;
    }
  }
}

}  // namespace block_search_test
}  // namespace surety::bench
