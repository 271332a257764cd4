#include "plan/report/plot.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/report/plot_charts.h"
#include "test/support/plan/example_plans.h"

namespace surety::plan {
namespace plot_test {

using ::testing::HasSubstr;
using ::testing::Not;

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
    ++found;
  }
  return found;
}

std::string page_of(const Decision& decision, const std::string& job = "job") {
  return plan_html(decision, example::accuracy_promise(), job);
}

TEST(Plot, TagsAreBalancedAndNothingComesFromElsewhere) {
  for (const Decision& decision :
       std::vector<Decision>{example::closed_loop_plan(), example::open_loop_plan(),
                             example::infeasible(), Plan(), Infeasible()}) {
    const std::string page = page_of(decision);
    for (const char* tag : {"table", "tr", "td", "th", "section", "figure", "svg", "p", "span"}) {
      EXPECT_EQ(count(page, fmt::format("<{}>", tag)) + count(page, fmt::format("<{} ", tag)),
                count(page, fmt::format("</{}>", tag)))
          << tag;
    }
    for (const char* outside : {"http:", "https:", "<script", "<link", "@import", "nan", "inf\""}) {
      EXPECT_THAT(page, Not(HasSubstr(outside)));
    }
  }
}

TEST(Plot, EveryNameIsEscaped) {
  const std::string evil = "<script>alert(\"1\")</script>";
  Infeasible infeasible;
  infeasible.reason = evil;
  infeasible.best_effort = example::closed_loop_plan();
  Plan& plan = *infeasible.best_effort;
  plan.data = {evil};
  plan.reason = plan.blocks[0].version = plan.blocks[1].counts[0].type = evil;
  plan.claims->runners_up[0].what = evil;
  plan.claims->assumptions[0] = {evil, evil, true, evil};
  const std::string page = page_of(infeasible, evil);
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("alert(\"")));
  EXPECT_GE(count(page, "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;"), 10u);
}

TEST(Plot, PicturesAreNamedForThoseWhoDoNotSeeThem) {
  const std::string page = page_of(example::closed_loop_plan());
  EXPECT_EQ(count(page, "role=\"img\""), 6u);  // Three charts, each in a wide and a narrow drawing.
  EXPECT_EQ(count(page, "<desc id="), 6u);
  EXPECT_THAT(page, HasSubstr("ends at 0.9156; the target is 0.95."));
}

TEST(Plot, LayersAreToldApartByHatchAndLegend) {
  const std::string chart = schedule_chart(example::closed_loop_plan());
  for (const char* css_class : {"layer-1", "layer-2", "layer-3", "hatch-2", "hatch-3"}) {
    EXPECT_THAT(chart, HasSubstr(css_class));
  }
  EXPECT_THAT(page_of(example::closed_loop_plan()), HasSubstr("3 full on 4 on-demand</span>"));
}

TEST(Plot, ManyBlocksShareTheLastLayer) {
  Plan plan = example::closed_loop_plan();
  plan.claims->usage.clear();
  for (std::uint32_t i = 0; i < 9; ++i) {
    plan.claims->usage.push_back(
        {i % 3, 1, 1, std::vector<double>(plan.claims->bands.size(), 0.1)});
  }
  const std::vector<Layer> layers = layers_of(plan);
  ASSERT_EQ(layers.size(), kLayersMax);
  EXPECT_EQ(layers.back().name, "4 others");
  EXPECT_NEAR(layers.back().shares[0], 0.4, 1e-12);
}

TEST(Plot, DeadlineFarBeyondThePictureIsSaidInWords) {
  Promise promise = example::accuracy_promise();
  promise.deadline_s = 7200;  // The bands end at 1000 s.
  const std::string page = plan_html(example::closed_loop_plan(), promise, "job");
  EXPECT_THAT(page, HasSubstr("the deadline, 2h, is far outside the chart"));
  EXPECT_THAT(page, Not(HasSubstr("label end deadline")));
}

TEST(Plot, RunnersUpHaveLettersThatThePictureUses) {
  EXPECT_EQ(letter_of(0), "A");
  EXPECT_EQ(letter_of(25), "Z");
  EXPECT_EQ(letter_of(26), "A2");
  const std::string page = page_of(example::closed_loop_plan());
  EXPECT_THAT(page, HasSubstr("C. prune:0.5 only, 4 spot"));
  EXPECT_THAT(page, HasSubstr(">C</text>"));
}

TEST(Plot, PlanThatTheProfileDoesNotSupportSaysSo) {
  Plan plan = example::closed_loop_plan();
  EXPECT_THAT(page_of(plan), Not(HasSubstr("less than promised")));
  plan.claims->probability_lower = 0.94;
  EXPECT_THAT(page_of(plan), HasSubstr("less than promised"));
}

TEST(Plot, InfeasiblePageLeadsWithTheReasonAndTheNearestPromises) {
  const std::string page = page_of(example::infeasible());
  EXPECT_THAT(page, HasSubstr("The promise cannot be kept"));
  EXPECT_LT(page.find("the target can be reached, but not in that time"), page.find("25min"));
  EXPECT_LT(page.find("25min"), page.find("What comes closest"));
}

TEST(Plot, TheClosestPlanIsNotDrawnIfItTrainsNothing) {
  Infeasible infeasible = example::infeasible();
  infeasible.best_effort->claims->usage.clear();
  EXPECT_THAT(page_of(infeasible), Not(HasSubstr("What comes closest")));
}

}  // namespace plot_test
}  // namespace surety::plan
