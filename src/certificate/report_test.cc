#include "certificate/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "certificate/record_test.h"
#include "certificate/record_text.h"
#include "certificate/report_charts.h"

namespace surety::certificate {
namespace report_test {

using testing::HasSubstr;
using testing::Not;

std::string attributes_cut(std::string_view tag) {
  return std::string(tag.substr(0, tag.find_first_of(" \n")));
}

// "balanced" if tags are opened and closed in order, else the first error.
std::string balance(std::string_view page) {
  std::vector<std::string> open;
  for (std::size_t at = page.find('<'); at != std::string_view::npos; at = page.find('<', at + 1)) {
    const std::size_t end = page.find('>', at);
    if (end == std::string_view::npos) return "a tag without an end";
    const std::string_view tag = page.substr(at + 1, end - at - 1);
    const std::string name = attributes_cut(tag);
    if (tag.find('<') != std::string_view::npos) return "a tag in a tag: " + name;
    if (tag.starts_with('!') || tag.ends_with('/') || name == "meta") continue;
    if (!tag.starts_with('/')) {
      open.push_back(name);
    } else if (open.empty() || "/" + open.back() != name) {
      return fmt::format("{} closes {}", name, open.empty() ? "nothing" : open.back());
    } else {
      open.pop_back();
    }
  }
  return open.empty() ? "balanced" : "open: " + open.back();
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1))
    ++n;
  return n;
}

TEST(Report, TagsAreBalanced) {
  EXPECT_EQ(balance(report_html(kept_record())), "balanced");
  EXPECT_EQ(balance("<a><b></a></b>"), "/a closes b");
}

TEST(Report, WithoutAPlanThereIsNoColumnForOne) {
  RunRecord record = kept_record();
  EXPECT_THAT(report_html(record), HasSubstr(">Planned<"));
  record.plan.reset();
  EXPECT_THAT(report_html(record), Not(HasSubstr(">Planned<")));
}

TEST(Report, NoTextOfTheUserBecomesATag) {
  const std::string evil = "<script>alert(\"1\")</script>&'";
  RunRecord record = kept_record();
  record.job = record.run = record.started = record.stop_reason = evil;
  record.plan->reason = record.plan->claims->runners_up[0].what = record.plan->blocks[0].version =
      evil;
  record.plan->claims->assumptions[0] = {.name = evil, .test = evil, .passed = true, .found = evil};
  record.measurements[0].version = evil;
  for (TimelineEvent& event : record.timeline) event.text = evil;
  record.timeline.push_back({.seconds = 1, .kind = EventKind::kStop, .text = evil, .workers = 1});
  record.certified->checkpoint = record.certified->model_checksum = evil;
  record.versions = {{evil, evil}};
  const std::string page = report_html(record);
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;&#39;"));
  EXPECT_EQ(balance(page), "balanced");
  record.certified.reset();
  record.infeasible->reason = evil;
  record.plan.reset();
  EXPECT_THAT(report_html(record), Not(HasSubstr("<script")));
}

TEST(Report, RepeatsTheWarningsAboutTheData) {
  RunRecord record = kept_record();
  EXPECT_THAT(report_html(record, {}), HasSubstr("have the label &lt;0&gt;"));
  record.warnings.clear();
  EXPECT_THAT(report_html(record, {}), Not(HasSubstr("Warnings about the data")));
}

TEST(Report, ATargetReachedWithSettingsByHandSaysWhyItHasNoProbability) {
  RunRecord record = kept_record();
  record.plan = plan_by_hand();
  EXPECT_THAT(report_html(record, {}), HasSubstr("the settings were chosen by hand"));
  EXPECT_THAT(report_html(kept_record(), {}), Not(HasSubstr("chosen by hand")));
}

TEST(Report, LeadsWithTheVerdict) {
  RunRecord record = kept_record();
  const auto refusal = record.infeasible;
  record.infeasible.reset();
  EXPECT_THAT(report_html(record), HasSubstr("<h1>Promise kept</h1>"));
  record.infeasible = refusal;
  record.certified->metric = 0.6;
  EXPECT_THAT(report_html(record),
              HasSubstr("<h1>The promise was refused, and the target was missed</h1>"));
  EXPECT_THAT(report_html(record), HasSubstr("Validation loss 0.6 is not at most 0.5"));
  record.certified.reset();
  EXPECT_THAT(report_html(record), HasSubstr("<h1>Promise infeasible</h1>"));
  record.infeasible.reset();
  record.stop_reason.clear();
  EXPECT_THAT(report_html(record), HasSubstr("<h1>Run stopped</h1>"));
  record.run_seconds = 2000;
  EXPECT_THAT(report_html(record), HasSubstr("<h1>Promise missed</h1>"));
}

TEST(Report, NamesThePromiseAsTheTerminalDoes) {
  RunRecord record = kept_record();
  record.infeasible.reset();
  record.plan.reset();
  record.certified->metric = 0.6;
  const std::string words = "No promise was stated, and the target was missed";
  EXPECT_THAT(report_html(record), HasSubstr("<h1>" + words + "</h1>"));
  EXPECT_THAT(report_html(record), HasSubstr("<title>digits: " + words + "</title>"));
  EXPECT_THAT(summary(record), HasSubstr(words + " (digits, digits-1)"));
}

TEST(Report, NeedsNothingFromElsewhere) {
  const std::string page = report_html(kept_record());
  for (const char* outside : {"http:", "https:", "src=", "@import", "url("}) {
    EXPECT_THAT(page, Not(HasSubstr(outside)));
  }
}

TEST(Report, DrawsTheMetricAgainstTheBand) {
  const std::string chart = metric_chart(kept_record());
  EXPECT_EQ(count(chart, "<svg "), 2u);  // The wide one and the narrow one.
  EXPECT_EQ(count(chart, "class=\"band\""), 2u);
  EXPECT_EQ(count(chart, "class=\"median\""), 2u);
  EXPECT_EQ(count(chart, "class=\"dot\""), 4u);
  EXPECT_EQ(count(chart, "class=\"whisker\""), 4u);
  EXPECT_EQ(count(chart, ">target 0.5<"), 2u);
  EXPECT_THAT(chart, HasSubstr("pass 4, full: 0.3 ± 0.02 after 1min 50s"));
}

TEST(Report, DrawsWhereTheVersionChanges) {
  RunRecord record = kept_record();
  EXPECT_EQ(count(metric_chart(record), "class=\"switch\""), 2u);
  EXPECT_EQ(count(metric_chart(record), ">prune:0.5</text>"), 2u);
  EXPECT_EQ(count(metric_chart(record), ">full</text>"), 2u);
  record.measurements[0].version = "full";
  EXPECT_EQ(count(metric_chart(record), "class=\"switch\""), 0u);
}

TEST(Report, DrawsWhoJoinedLeftAndWasLost) {
  const std::string chart = workers_chart(kept_record());
  for (const char* mark : {"class=\"join\"", "class=\"leave\"", "class=\"lost\""}) {
    EXPECT_EQ(count(chart, mark), 2u) << mark;
  }
}

TEST(Report, APlanSetByHandHasNoForecast) {
  RunRecord record = kept_record();
  EXPECT_THAT(report_html(record), HasSubstr("planned, 95 %"));
  record.plan = plan_by_hand();
  const std::string page = report_html(record);
  EXPECT_THAT(page, Not(HasSubstr("planned, 95 %")));
  EXPECT_THAT(page, HasSubstr("full for 4 passes on 2 workers</th><td class=\"number\">–</td>"
                              "<td class=\"number\">–</td>"));
}

// A resumed run gathers workers twice, but its clock of training started once.
TEST(Report, ThePromiseIsDrawnWhereItWasStatedAlsoAfterAResumption) {
  RunRecord record = kept_record();
  record.profile_seconds = 2;
  record.timeline.push_back(
      {.seconds = 2, .kind = EventKind::kPhase, .text = "train", .workers = 2});
  record.stated = StatedPromise{.seconds = 40, .argument = "by the laws"};
  const std::string at_once = metric_chart(record);
  EXPECT_THAT(at_once, HasSubstr("promised"));
  record.profile_seconds = 30;
  EXPECT_EQ(metric_chart(record), at_once);
}

TEST(Report, ARefusalIsSaidOnce) {
  RunRecord record = kept_record();
  record.plan.reset();
  record.certified->metric = 0.9;
  record.infeasible.emplace();
  record.infeasible->reason = "no version learns that much";
  record.stop_reason = "the promise is refused: no version learns that much";
  EXPECT_EQ(count(report_html(record), "version learns that much"), 1u);
}

TEST(Report, WhereTimeAndMoneyWentIsATable) {
  const std::string page = report_html(
      kept_record(), {{"passes of the final model", 30, 3}, {"passes of other attempts", 10, 1}});
  EXPECT_EQ(balance(page), "balanced");
  EXPECT_THAT(page, HasSubstr("Passes of the final model"));
  EXPECT_THAT(page, HasSubstr("75 %"));
}

TEST(Report, AnEmptyRecordIsAPageWithoutPictures) {
  const std::string page = report_html(RunRecord{});
  EXPECT_EQ(balance(page), "balanced");
  EXPECT_THAT(page, HasSubstr("No evaluation was made."));
  EXPECT_THAT(page, Not(HasSubstr("<svg")));
}

TEST(Report, ValuesThatCannotBeDrawnAreLeftOut) {
  RunRecord record = kept_record();
  record.measurements[0].metric = NAN;
  record.measurements[1].seconds = INFINITY;
  record.plan->claims->bands[0].q95 = INFINITY;
  record.timeline[0].seconds = NAN;
  record.run_seconds = INFINITY;
  const std::string page = report_html(record);
  EXPECT_EQ(balance(page), "balanced");
  EXPECT_EQ(count(metric_chart(record), "class=\"dot\""), 0u);
  EXPECT_EQ(metric_chart(record).find("nan"), std::string::npos);
  record.promise.target = NAN;
  EXPECT_EQ(metric_chart(record), "");
}

TEST(Report, AGapIsDrawnOnALogarithmicAxis) {
  RunRecord record = kept_record();
  record.promise.metric = plan::Metric::kDualityGap;
  record.promise.target = 1e-4;
  EXPECT_THAT(metric_chart(record), HasSubstr("duality gap over training time"));
  EXPECT_THAT(metric_chart(record), HasSubstr(">1e-3<"));
}

}  // namespace report_test
}  // namespace surety::certificate
