// Data choices of a whole problem: from a profile on two data fractions to laws between them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "plan/closed_loop/held_out.h"
#include "plan/planner/assumptions.h"
#include "plan/planner/plan_testing.h"
#include "plan/problem/problem.h"

namespace surety::plan {
namespace data_problem_test {

using namespace synthetic;

// Learns half as fast on a quarter of the data. There are 40 similar data sets, and passes cost by
// samples.
struct TwoFractions {
  Spec spec = halving();
  Profile profile;
  Instance instance;

  TwoFractions() {
    spec.seeds = 8;
    spec.run_effect = 0.2;
    spec.versions[0].rate = 1;
    profile = draw_profile(spec, 3);
    Spec less = spec;
    less.data_fraction = 0.25;
    less.versions[0].rate = 0.5;
    less.versions[0].pass_s = 4;
    append(profile, draw_profile(less, 3));
    instance = gap_instance(spec, 0.05, 900);
    for (int i = 0; i < 40; ++i) {
      DataSet set;
      set.name = fmt::format("s{:02}", i);
      set.samples = 100;
      set.price = 0.1;
      set.label_histogram[0] = 100;
      instance.data.push_back(set);
    }
  }

  [[nodiscard]] Problem problem() const {
    Result<Problem> made = make_problem(instance, profile, small_options());
    EXPECT_TRUE(made);
    return *made;
  }
};

const DataLaws& between(const Problem& problem) {
  const auto it = std::ranges::find_if(problem.choices, [](const DataLaws& choice) {
    return choice.data.profiled_above.has_value();
  });
  EXPECT_NE(it, problem.choices.end());
  return *it;
}

TEST(DataProblem, PrefixBetweenTwoFractionsIsPlannedBetweenTheirLaws) {
  const Problem problem = TwoFractions().problem();
  const DataLaws& choice = between(problem);
  const VersionLaw& law = choice.laws.versions[0];
  const double fraction = choice.data.fraction;
  EXPECT_EQ(choice.laws.data_fraction, fraction);
  ASSERT_EQ(choice.measured.size(), 2u);
  const VersionLaw& less = choice.measured[0].versions[0];
  const VersionLaw& more = choice.measured[1].versions[0];
  // Twice as fast on four times the data, so the rate is proportional to the square root of the
  // fraction.
  EXPECT_NEAR(more.rate / less.rate, 2, 0.1);
  EXPECT_NEAR(law.rate / less.rate, std::sqrt(fraction / 0.25), 0.05);
  EXPECT_NEAR(law.time.pass_s, 4 + 6 * (fraction - 0.25) / 0.75, 1e-9);
  EXPECT_EQ(law.metric_supported, std::max(less.metric_supported, more.metric_supported));
}

TEST(DataProblem, LawOnMoreDataThanItsFractionTakesLongerPasses) {
  TwoFractions two;
  std::erase_if(two.profile.curves, [](const CurvePoint& p) { return p.data_fraction == 1; });
  const Problem problem = two.problem();
  const DataLaws& all = problem.choices.back();
  EXPECT_EQ(all.data.profiled_fraction, 0.25);
  EXPECT_NEAR(all.laws.versions[0].time.pass_s, 4 * 4, 1e-9);
}

TEST(DataProblem, DrawsOfBothFractionsMeetTheSameLuck) {
  const Problem problem = TwoFractions().problem();
  const std::vector<Laws> part = draw_laws(problem, between(problem), 10, 7);
  const std::vector<Laws> all = draw_laws(problem, problem.choices.back(), 10, 7);
  ASSERT_EQ(part.size(), 10u);
  for (std::size_t i = 0; i < part.size(); ++i) {
    const double part_luck =
        std::log(part[i].versions[0].rate / between(problem).laws.versions[0].rate);
    const double all_luck =
        std::log(all[i].versions[0].rate / problem.choices.back().laws.versions[0].rate);
    EXPECT_NEAR(part_luck, all_luck, 0.05) << i;
    EXPECT_EQ(part[i].data_fraction, between(problem).data.fraction);
  }
}

TEST(DataProblem, HeldOutSeedsAreReplayedBetweenTwoFractionsToo) {
  const Problem problem = TwoFractions().problem();
  const HeldOut test = test_held_out(problem, between(problem),
                                     make_goal(TwoFractions().instance.promise), 100, 0.9);
  EXPECT_EQ(test.runs, 4u);
  EXPECT_EQ(test.successes, 4u);  // The gap halves in each pass, so every seed reaches the target.
}

Assumption evenness(const Problem& problem) {
  const DataLaws& choice = between(problem);
  const Setting setting = make_setting(problem, choice, make_goal(TwoFractions().instance.promise));
  const auto all = check_assumptions(problem, setting, choice, {{0, 1}}, 0.9, Promise{});
  const auto it = std::ranges::find(all, "learning changes evenly with data", &Assumption::name);
  return it == all.end() ? Assumption() : *it;
}

TEST(DataProblem, MoreDataThatNeedsMorePassesFailsAnAssumption) {
  const Assumption kept = evenness(TwoFractions().problem());
  EXPECT_TRUE(kept.passed);
  EXPECT_NE(kept.found.find("measured 25 % and 100 % of them"), std::string::npos) << kept.found;
  TwoFractions odd;
  for (CurvePoint& point : odd.profile.curves) {
    point.data_fraction = point.data_fraction == 1 ? 0.25 : 1;
  }
  const Assumption broken = evenness(odd.problem());
  EXPECT_FALSE(broken.passed);
  EXPECT_NE(broken.found.find("full on 4 nodes needs more"), std::string::npos) << broken.found;
}

TEST(DataProblem, SetsTooDearStayOutOfThePlan) {
  TwoFractions two;
  two.instance.data[7].price = 1000;
  const Plan plan = plan_of(two.instance, two.profile);
  EXPECT_GE(plan.data.size(), 10u);
  EXPECT_EQ(std::ranges::count(plan.data, "s07"), 0);
}

}  // namespace data_problem_test
}  // namespace surety::plan
