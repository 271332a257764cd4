// Tests the cost of refusing a promise, in solved policies, and that the statements of a refusal
// are true.
#include "plan/planner/nearest.h"

#include <gtest/gtest.h>

#include <utility>

#include "plan/closed_loop/solve_closed.h"
#include "plan/planner/make_plan.h"
#include "plan/planner/plan_testing.h"
#include "plan/problem/problem.h"

namespace surety::plan {
namespace nearest_test {

using namespace synthetic;

constexpr double kConfidence = 0.9;

Spec noisy() {
  Spec spec = three_versions();
  spec.versions.pop_back();
  spec.seeds = 10;
  spec.run_effect = 0.1;
  for (auto& version : spec.versions) version.noise = 0.3;
  return spec;
}

// Two data sets; half of the data was profiled as well, so there are three choices.
std::pair<Instance, Profile> with_data(const Spec& spec, double target, double deadline_s) {
  std::pair<Instance, Profile> result(make_instance(spec, target, deadline_s),
                                      draw_profile(spec, 3));
  Spec half = spec;
  half.data_fraction = 0.5;
  for (auto& version : half.versions) version.pass_s /= 2;
  append(result.second, draw_profile(half, 3));
  for (const char* name : {"first", "second"}) {
    DataSet set;
    set.name = name;
    set.samples = 100;
    set.price = 0.1;
    result.first.data.push_back(set);
  }
  result.first.promise.probability = 0.9;
  return result;
}

struct Refusal {
  Problem problem;
  Goal goal;
  ClosedSolution closed;
  NearestGoals nearest;
};

Refusal refuse(const Instance& instance, const Profile& profile) {
  Refusal refusal;
  refusal.problem = *make_problem(instance, profile, small_closed_options());
  refusal.goal = make_goal(instance.promise);
  refusal.closed = solve_closed(refusal.problem, refusal.goal, kConfidence);
  EXPECT_FALSE(refusal.closed.keeps(refusal.goal));
  refusal.nearest = nearest_goals(refusal.problem, refusal.goal, refusal.closed, kConfidence);
  return refusal;
}

TEST(Refusing, APromiseThatHindsightCannotKeepTakesOnePolicy) {
  const auto [instance, profile] = with_data(noisy(), 0.1, 600);
  const Refusal refusal = refuse(instance, profile);
  ASSERT_GE(refusal.problem.choices.size(), 2u);
  EXPECT_EQ(refusal.closed.effort.policies, 1u);
  EXPECT_EQ(refusal.closed.effort.refused_by_bound + 1, refusal.problem.choices.size());
}

TEST(Refusing, NearestTargetIsFoundByBisection) {
  // The target is below every floor.
  const auto [instance, profile] = with_data(noisy(), 0.1, 600);
  const Refusal refusal = refuse(instance, profile);
  EXPECT_TRUE(refusal.nearest.target);
  EXPECT_FALSE(refusal.nearest.deadline_s);
  // Twice the logarithm of about a hundred steps, and some confirmations for each data choice.
  EXPECT_LE(refusal.nearest.effort.policies, 10u);
}

TEST(Refusing, DeadlinesThatNotEvenHindsightKeepsTakeNoPolicy) {
  const auto [instance, profile] = with_data(noisy(), 0.56, 20);
  const Refusal refusal = refuse(instance, profile);
  EXPECT_TRUE(refusal.nearest.target);
  EXPECT_TRUE(refusal.nearest.deadline_s);
  EXPECT_GE(refusal.nearest.effort.refused_by_bound, 3u);
  EXPECT_LE(refusal.nearest.effort.policies, 30u);
}

// The runs of this profile differ much, and the promise needs only six of ten: a budget for nearly
// all runs is about twice what is needed.
TEST(Refusing, TheNearestBudgetCanBeKeptAndAFifthLessCannot) {
  Spec spec = noisy();
  spec.run_effect = 0.5;
  auto data = with_data(spec, 0.56, 2000);
  data.first.promise.probability = 0.6;
  const auto decide = [&](double budget) {
    data.first.promise.budget = budget;
    return *make_plan(data.first, data.second, small_closed_options());
  };
  const Decision refused = decide(0.01);
  ASSERT_TRUE(std::holds_alternative<Infeasible>(refused));
  const std::optional<double> budget = std::get<Infeasible>(refused).budget;
  ASSERT_TRUE(budget);
  EXPECT_TRUE(std::holds_alternative<Plan>(decide(*budget))) << *budget;
  EXPECT_TRUE(std::holds_alternative<Infeasible>(decide(*budget / 1.25))) << *budget;
}

TEST(CanKeep, IsTrueWhereAPlanIsIssued) {
  const auto [instance, profile] = with_data(noisy(), 0.1, 200);
  const Problem problem = *make_problem(instance, profile, small_closed_options());
  Goal goal = make_goal(instance.promise);
  int kept = 0;
  int refused = 0;
  for (double target = 0.45; target < 0.66; target += 0.02) {
    goal.target = target;
    Effort effort;
    const bool can = can_keep(problem, goal, kConfidence, 0, effort);
    EXPECT_EQ(can, solve_closed(problem, goal, kConfidence).keeps(goal)) << target;
    (can ? kept : refused) += 1;
  }
  EXPECT_GT(kept, 0);
  EXPECT_GT(refused, 0);
}

}  // namespace nearest_test
}  // namespace surety::plan
