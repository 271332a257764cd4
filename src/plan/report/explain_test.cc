#include "plan/report/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "test/support/plan/example_plans.h"

namespace surety::plan {
namespace explain_test {

using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// The line that contains these words; empty if there is none.
std::string line_with(const std::string& text, const std::string& words) {
  for (const std::string& line : lines_of(text)) {
    if (line.find(words) != std::string::npos) return line;
  }
  return "";
}

std::vector<Decision> decisions() {
  return {example::closed_loop_plan(), example::open_loop_plan(), example::infeasible(), Plan(),
          Infeasible()};
}

TEST(Explain, FitsATerminal) {
  for (Decision& decision : decisions()) {
    if (Plan* plan = std::get_if<Plan>(&decision)) plan->blocks.resize(3);
    const std::string text = explain(decision, example::accuracy_promise());
    EXPECT_EQ(text.back(), '\n');
    EXPECT_LT(lines_of(text).size(), 60u) << text;
    for (const std::string& line : lines_of(text)) EXPECT_LE(line.size(), 100u) << line;
  }
}

TEST(Explain, AccuracyIsShownAsAccuracy) {
  const std::string text = explain(example::closed_loop_plan(), example::accuracy_promise());
  EXPECT_THAT(line_with(text, "Promise"), HasSubstr("accuracy at least 0.95 within 20min"));
  EXPECT_THAT(text, HasSubstr("also show at least 0.953"));
  // The median of the last band is 0.045 + 0.855 * 9^-1.4 = 0.0844.
  EXPECT_THAT(line_with(text, "    16min 40s"), HasSubstr("0.9156"));
}

TEST(Explain, WhatIsReservedForOtherThingsThanTrainingIsNamed) {
  Promise promise = example::accuracy_promise();
  const Reserved reserved{.seconds = 3, .cost = 0.25};
  EXPECT_THAT(explain(example::closed_loop_plan(), promise, reserved),
              HasSubstr("Reserved     3s of"));
  promise.budget = 4;
  EXPECT_THAT(explain(example::closed_loop_plan(), promise, reserved),
              HasSubstr("0.25 of the budget of 4 to"));
  promise.budget = 0.2;  // A refusal says that the budget is too small.
  EXPECT_THAT(explain(example::infeasible(), promise, reserved), Not(HasSubstr("Reserved")));
}

TEST(Explain, LossIsShownAsLoss) {
  Promise promise = example::accuracy_promise();
  promise.metric = Metric::kValidationLoss;
  promise.target = 0.05;
  const std::string text = explain(example::closed_loop_plan(), promise);
  EXPECT_THAT(line_with(text, "Promise"), HasSubstr("validation loss at most 0.05"));
  EXPECT_THAT(text, HasSubstr("also show at most 0.047"));
}

TEST(Explain, ClosedLoopSaysWhatItChoosesAmongAndWhereTheMoneyGoes) {
  const std::string text = explain(example::closed_loop_plan(), example::accuracy_promise());
  EXPECT_THAT(text, HasSubstr("after every pass it decides what to train next"));
  EXPECT_THAT(text, HasSubstr("it starts with prune:0.5 on 4 spot"));
  // The share is 0.55 / (0.97 + 0.75 + 0.55).
  EXPECT_THAT(line_with(text, "full on 4 on-demand"), HasSubstr("24.2 %"));
}

TEST(Explain, BlocksThatNoRunUsesAreOnlyCounted) {
  Plan plan = example::closed_loop_plan();
  plan.claims->usage.pop_back();
  const std::string text = explain(plan, example::accuracy_promise());
  EXPECT_THAT(text, HasSubstr("and 1 other that no simulated run needed"));
  EXPECT_THAT(text, Not(HasSubstr("full on 4 on-demand")));
}

TEST(Explain, FixedScheduleIsListedInItsOrder) {
  const std::string text = explain(example::open_loop_plan(), example::accuracy_promise());
  EXPECT_THAT(line_with(text, "  train"), HasSubstr("prune:0.5 on 4 spot for 14 passes"));
  EXPECT_THAT(line_with(text, "  then"), HasSubstr("full on 4 spot, 42.5s a pass, until"));
}

TEST(Explain, BothLowerBoundsAreNamedIfBothWereComputed) {
  Plan plan = example::closed_loop_plan();
  const std::string text = explain(plan, example::accuracy_promise());
  EXPECT_THAT(text, HasSubstr("by percentile margin"));
  EXPECT_THAT(text, HasSubstr("at least 79.4 % by learn then test"));
  plan.claims->support.held_out_runs = 0;
  EXPECT_THAT(explain(plan, example::accuracy_promise()), Not(HasSubstr("by learn then test")));
}

// Where the promise is not supported, the reason of the refusal names the seeds.
TEST(Explain, SeedsThatWouldShowAPromiseByCountsAreNamedOnlyIfItIsSupported) {
  Plan plan = example::closed_loop_plan();
  const Promise promise = example::accuracy_promise();
  plan.claims->probability_lower = promise.probability;
  EXPECT_THAT(explain(plan, promise), HasSubstr("70 more seeds in the profile (90 in all)"));
  plan.claims->probability_lower = promise.probability - 0.01;
  EXPECT_THAT(explain(plan, promise), Not(HasSubstr("more seeds in the profile")));
}

TEST(Explain, RunnerUpSaysHowMuchMoreItCostsAndWhetherItWouldDo) {
  const std::string text = explain(example::closed_loop_plan(), example::accuracy_promise());
  // 4.41 / 2.27 = 1.943; 1.9 / 2.27 = 0.837.
  EXPECT_THAT(line_with(text, "full only"), HasSubstr("+94 %"));
  EXPECT_THAT(line_with(text, "full only"), Not(HasSubstr("too low")));
  EXPECT_THAT(line_with(text, "prune:0.5 only"), HasSubstr("-16 %"));
  EXPECT_THAT(line_with(text, "prune:0.5 only"), HasSubstr("too low"));
}

TEST(Explain, PriceOfDependabilityMarksWhatWasPromised) {
  const std::string text = explain(example::closed_loop_plan(), example::accuracy_promise());
  EXPECT_THAT(line_with(text, "<- promised"), HasSubstr("95 %"));
  EXPECT_THAT(line_with(text, "2.63"), HasSubstr("+16 %"));
}

TEST(Explain, OnlyAssumptionsThatFailAreListed) {
  const std::string text = explain(example::closed_loop_plan(), example::accuracy_promise());
  EXPECT_THAT(text, HasSubstr("1 of 2 hold"));
  EXPECT_THAT(text, HasSubstr("profile supports the promise"));
  EXPECT_THAT(text, Not(HasSubstr("curves do not cross")));
}

TEST(Explain, InfeasibleSaysWhyAndWhatCouldBePromisedInstead) {
  const std::string text = explain(example::infeasible(), example::accuracy_promise());
  EXPECT_THAT(line_with(text, "Infeasible"),
              HasSubstr("deadline: the target can be reached, but not in"));
  EXPECT_THAT(text, HasSubstr("in 62 % of the runs"));
  EXPECT_THAT(line_with(text, "  deadline "), HasSubstr("20min  25min"));
  EXPECT_THAT(line_with(text, "  target "), HasSubstr("0.95  0.934"));
  EXPECT_THAT(text, HasSubstr("What comes closest"));
  EXPECT_THAT(explain(Infeasible(), example::accuracy_promise()),
              HasSubstr("no single change of the promise is enough"));
}

TEST(Explain, LongReasonsWrapUnderTheirLabel) {
  Plan plan = example::closed_loop_plan();
  plan.reason =
      "one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
      "fifteen sixteen seventeen";
  const std::string text = explain(plan, example::accuracy_promise());
  EXPECT_THAT(line_with(text, "seventeen"), HasSubstr("             "));
  EXPECT_EQ(line_with(text, "seventeen").find_first_not_of(' '), 13u);
}

}  // namespace explain_test
}  // namespace surety::plan
