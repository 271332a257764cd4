// Verdicts, writing and reading of certificate.json, and the words of the summary.
#include "certificate/certificate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "certificate/certificate_json.h"
#include "certificate/record_test.h"
#include "certificate/record_text.h"

namespace surety::certificate {
namespace certificate_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(Verdict, KeptWhereMetricDeadlineAndBudgetAreMet) {
  RunRecord record = kept_record();
  EXPECT_EQ(verdict(record), Verdict::kKept);
  EXPECT_THAT(shortfalls(record), IsEmpty());
  // Exactly at the limits: "at most" includes the limit.
  record.certified->metric = 0.5;
  record.run_seconds = 1000;
  record.promise.budget = total_cost(record);
  EXPECT_EQ(verdict(record), Verdict::kKept);
}

TEST(Verdict, AProfileIsNotMissedHoweverMuchItCosts) {
  RunRecord record;
  record.promise.budget = 1;
  record.deadline_s = 10;
  record.run_seconds = record.profile_seconds = 20;
  record.profile_cost = 2;
  EXPECT_EQ(verdict(record), Verdict::kStopped);
}

TEST(Verdict, AMetricThatMissesByNoiseOrLessIsMissed) {
  RunRecord record = kept_record();
  record.certified->metric = std::nextafter(0.5, 1);
  EXPECT_EQ(verdict(record), Verdict::kMissed);
  record.certified->metric = 0.505;  // The metric is within its standard error of 0.01.
  EXPECT_EQ(verdict(record), Verdict::kMissed);
  record.certified->metric = NAN;
  EXPECT_EQ(verdict(record), Verdict::kMissed);
}

TEST(Verdict, AccuracyIsMetFromBelow) {
  RunRecord record = kept_record();
  record.promise.metric = plan::Metric::kAccuracy;
  record.certified->metric = 0.5;
  EXPECT_EQ(verdict(record), Verdict::kKept);
  record.certified->metric = 0.499;
  EXPECT_EQ(verdict(record), Verdict::kMissed);
  EXPECT_THAT(shortfalls(record), ElementsAre("accuracy 0.499 is not at least 0.5"));
}

TEST(Verdict, ALateResultIsMissedHoweverGood) {
  RunRecord record = kept_record();
  record.run_seconds = 1200;
  EXPECT_EQ(verdict(record), Verdict::kMissed);
  EXPECT_THAT(shortfalls(record), ElementsAre("the run took 20min instead of at most 16min 40s"));
}

TEST(Verdict, AnOverspentBudgetIsMissedAndProfileAndDataCount) {
  RunRecord record = kept_record();
  record.promise.budget = 3.99;  // Profile 1.5, training 2.25, data 0.25.
  EXPECT_EQ(verdict(record), Verdict::kMissed);
  EXPECT_THAT(shortfalls(record), ElementsAre("the run cost 4.00 instead of at most 3.99"));
  record.promise.budget.reset();
  EXPECT_EQ(verdict(record), Verdict::kKept);
}

TEST(Verdict, WithoutAResultPlanningOrTheDeadlineOrTheUserEndedIt) {
  RunRecord record = kept_record();
  record.certified.reset();
  record.stop_reason.clear();
  EXPECT_EQ(verdict(record), Verdict::kInfeasible);
  record.infeasible.reset();
  EXPECT_EQ(verdict(record), Verdict::kStopped);
  record.run_seconds = 1001;
  EXPECT_EQ(verdict(record), Verdict::kMissed);
  EXPECT_THAT(shortfalls(record),
              ElementsAre("no result was certified",
                          "the run took 16min 41s instead of at most 16min 40s"));
}

TEST(Verdict, TrainingThatEndsWithoutAResultHasMissedThePromiseUnlessTheRunIsPaused) {
  RunRecord record = kept_record();
  record.certified.reset();
  record.infeasible.reset();
  record.stop_reason = "the deadline has passed";
  EXPECT_EQ(verdict(record), Verdict::kMissed);
  record.timeline.push_back({.seconds = 100, .kind = EventKind::kPause, .text = "stopped"});
  EXPECT_EQ(verdict(record), Verdict::kStopped);
  record.timeline.pop_back();
  record.stop_reason.clear();
  EXPECT_EQ(verdict(record), Verdict::kStopped);
}

TEST(Verdict, AResultOutweighsWhatPlanningSaid) {
  RunRecord record = kept_record();
  ASSERT_TRUE(record.infeasible.has_value());
  EXPECT_EQ(verdict(record), Verdict::kKept);
}

TEST(Verdict, TheValueOfTheNewProcessCounts) {
  RunRecord record = kept_record();
  record.certified = Certified{.metric = 0.45, .metric_se = 0.01, .samples = 100};
  RunRecord confirmed = record;
  add_second_measurement(*confirmed.certified, {0.45, 0.01, 100}, record.promise.metric);
  EXPECT_EQ(verdict(confirmed), Verdict::kKept);
  EXPECT_FALSE(confirmed.certified->contradicted);
  // A difference that may be due to rounding, but on the other side of the target.
  RunRecord close = record;
  close.certified->metric = 0.49999;
  add_second_measurement(*close.certified, {0.50001, 0.01, 100}, record.promise.metric);
  EXPECT_EQ(verdict(close), Verdict::kMissed);
  EXPECT_FALSE(close.certified->contradicted);
  RunRecord diverged = record;
  add_second_measurement(*diverged.certified, {std::nan(""), std::nan(""), 100},
                         record.promise.metric);
  EXPECT_EQ(verdict(diverged), Verdict::kMissed);
  EXPECT_TRUE(diverged.certified->contradicted);
  add_second_measurement(*record.certified, {0.7, 0.02, 100}, record.promise.metric);
  EXPECT_EQ(verdict(record), Verdict::kMissed);
  EXPECT_EQ(record.certified->metric, 0.7);
  EXPECT_EQ(record.certified->contradicted->metric, 0.45);
  EXPECT_THAT(summary(record), HasSubstr("the workers reported 0.45 on 100 samples, but a new"));
}

TEST(Verdict, ARunThatIsPausedBeforeTheSecondMeasurementIsStopped) {
  RunRecord record = kept_record();
  record.certified = Certified{.metric = 0.45, .metric_se = 0.01, .samples = 100};
  record.timeline.push_back({.seconds = 800, .kind = EventKind::kPause, .text = "on request"});
  EXPECT_EQ(verdict(record), Verdict::kStopped);
  add_second_measurement(*record.certified, {0.45, 0.01, 100}, record.promise.metric);
  EXPECT_EQ(verdict(record), Verdict::kKept);
}

TEST(Measurements, AgreeWithinTheNoiseOfRounding) {
  using enum plan::Metric;
  const auto both = [](double a, double b, plan::Metric metric) {
    return agree({a, 0.01, 1000}, {b, 0.01, 1000}, metric);
  };
  EXPECT_TRUE(both(0.5, 0.50004, kValidationLoss));
  EXPECT_FALSE(both(0.5, 0.5002, kValidationLoss));
  EXPECT_TRUE(both(0.95, 0.952, kAccuracy));   // Two samples may be on a border.
  EXPECT_FALSE(both(0.95, 0.953, kAccuracy));  // Three samples are too many.
  EXPECT_TRUE(both(1e-5, 1.0009e-5, kDualityGap));
  EXPECT_FALSE(both(1e-5, 1.002e-5, kDualityGap));
  EXPECT_FALSE(agree({0.5, 0.01, 1000}, {0.5, 0.01, 999}, kValidationLoss));
  // The rounding of the workers' sums shows in a gap that is small beside its objective.
  EXPECT_TRUE(agree({1e-8, 0, 1000}, {4e-7, 0, 1000, 0.5}, kDualityGap));
  EXPECT_FALSE(agree({1e-8, 0, 1000}, {4e-7, 0, 1000}, kDualityGap));
  EXPECT_FALSE(agree({1e-8, 0, 1000}, {1e-5, 0, 1000, 0.5}, kDualityGap));
  const double none = std::nan("");
  EXPECT_TRUE(agree({none, none, 1000}, {none, none, 1000}, kValidationLoss));
  EXPECT_FALSE(agree({none, none, 1000}, {0.5, 0.01, 1000}, kValidationLoss));
  EXPECT_FALSE(agree({0.5, 0.01, 1000}, {none, none, 1000}, kValidationLoss));
  EXPECT_FALSE(both(0.5, std::nan(""), kValidationLoss));
}

TEST(Certificate, ComesBackFromJsonWithEveryField) {
  const RunRecord record = kept_record();
  const Result<RunRecord> again = record_from_json(to_json(record));
  ASSERT_TRUE(again.has_value()) << again.error().message;
  EXPECT_EQ(to_json(*again), to_json(record));
  EXPECT_EQ(again->measurements[1].metric, 0.1 + 0.2);
  EXPECT_EQ(again->plan->blocks[1].switch_s, 1);
  EXPECT_EQ(again->plan->certify_s, 7);
  EXPECT_EQ(again->infeasible->seeds, 9u);
  EXPECT_EQ(again->infeasible->best_effort->claims->bands[1].q95, 0.5);
  EXPECT_EQ(again->versions, record.versions);
  EXPECT_EQ(again->data[0].content, "00ee");
  EXPECT_EQ(again->timeline[1].text, "worker 1: reset");
  EXPECT_EQ(again->promise.budget, 10);
}

TEST(Certificate, TheNearestPromisesAreOptionsRoundedToTheSideOnWhichTheyCanBeKept) {
  RunRecord record = kept_record();
  record.certified.reset();
  record.infeasible = plan::Infeasible{.reason = "too much",
                                       .target = 0.40011,
                                       .probability = 0.8538,
                                       .deadline_s = 61.2,
                                       .budget = 1.23401};
  EXPECT_THAT(summary(record),
              HasSubstr("begin a new run with:  --set promise.target=0.401  or  --set "
                        "promise.deadline=62s  or  --set promise.probability=0.853  or  --set "
                        "promise.budget=1.24\n"));
  record.promise.metric = plan::Metric::kAccuracy;
  record.infeasible->target = 0.9129;
  EXPECT_THAT(summary(record), HasSubstr("--set promise.target=0.912 "));
}

TEST(Certificate, ARefusalAfterWhichTrainingContinuedIsShownAndComesBackFromJson) {
  RunRecord record = kept_record();
  record.infeasible.reset();
  record.plan.reset();
  record.stated.reset();
  record.refused = {12, {.reason = "no attempt comes near", .target = 0.4}};
  record.certified->metric = 99;
  EXPECT_EQ(verdict(record), Verdict::kMissed);
  EXPECT_EQ(headline(record), "The promise was refused, and the target was missed");
  EXPECT_THAT(
      summary(record),
      HasSubstr("the promise was refused after 12s, and training continued as best effort: "
                "no attempt comes near\n"
                "  what can be promised, with everything else unchanged: validation loss 0.4\n"
                "  to ask for it, begin a new run with:  --set promise.target=0.4\n"));
  record.certified->metric = 0;
  record.stated = StatedPromise{.seconds = 40, .argument = "by the laws"};
  EXPECT_EQ(verdict(record), Verdict::kKept);
  EXPECT_THAT(summary(record), HasSubstr("training continued as best effort; it was stated after "
                                         "40s\n"));
  const Result<RunRecord> again = record_from_json(to_json(record));
  ASSERT_TRUE(again.has_value()) << again.error().message;
  ASSERT_TRUE(again->refused);
  EXPECT_EQ(again->refused->refusal.target, 0.4);
}

TEST(Certificate, AnAttemptThatDoesNotExistIsNull) {
  RunRecord record = kept_record();
  for (Measurement& one : record.measurements) one.attempt.reset();
  record.measurements[0].attempt = 1;
  record.certified->attempt.reset();
  EXPECT_THAT(to_json(record), HasSubstr("\"attempt\": null"));
  const Result<RunRecord> again = record_from_json(to_json(record));
  ASSERT_TRUE(again.has_value()) << again.error().message;
  EXPECT_EQ(again->measurements[0].attempt, 1u);
  EXPECT_EQ(again->measurements[1].attempt, std::nullopt);
  EXPECT_EQ(again->certified->attempt, std::nullopt);
}

TEST(Certificate, AnEmptyRecordComesBackToo) {
  const Result<RunRecord> again = record_from_json(to_json(RunRecord{}));
  ASSERT_TRUE(again.has_value()) << again.error().message;
  EXPECT_EQ(to_json(*again), to_json(RunRecord{}));
  EXPECT_FALSE(again->certified.has_value());
}

TEST(Certificate, NumbersThatAreNotFiniteComeBack) {
  RunRecord record = kept_record();
  record.measurements[0].metric = NAN;
  record.measurements[0].metric_se = INFINITY;
  record.plan->claims->cost_95 = -INFINITY;
  const RunRecord again = record_from_json(to_json(record)).value();
  EXPECT_TRUE(std::isnan(again.measurements[0].metric));
  EXPECT_EQ(again.measurements[0].metric_se, INFINITY);
  EXPECT_EQ(again.plan->claims->cost_95, -INFINITY);
}

// The certificate with `from` replaced by `to`, read again.
std::string refusal(std::string_view from, std::string_view to) {
  std::string text = to_json(kept_record());
  const std::size_t at = text.find(from);
  SURETY_CHECK(at != std::string::npos);
  text.replace(at, from.size(), to);
  const auto record = record_from_json(text);
  return record ? "accepted" : record.error().message;
}

TEST(Certificate, WhatIsNoCertificateIsRefusedWithItsPath) {
  EXPECT_THAT(refusal("{", "["), HasSubstr("not JSON"));
  EXPECT_THAT(refusal("\"surety_certificate\": 1", "\"surety_certificate\": 2"),
              HasSubstr("surety_certificate: found format 2, expected format 1"));
  EXPECT_EQ(refusal("\"run_s\"", "\"run_z\""), "run_s: missing");
  EXPECT_EQ(refusal("\"samples\": 4000", "\"samples\": 4000, \"more\": 1"),
            "certified.more: unknown key");
  EXPECT_EQ(refusal("\"samples\": 4000", "\"samples\": -1"),
            "certified.samples: found -1, expected a whole number from 0");
  EXPECT_EQ(refusal("\"target\": 0.5", "\"target\": \"half\""),
            "promise.target: found \"half\", expected a number");
  EXPECT_EQ(refusal("\"metric\": \"validation_loss\"", "\"metric\": \"luck\""),
            "promise.metric: found luck, expected validation_loss, accuracy or duality_gap");
  EXPECT_EQ(
      refusal("\"reason_class\": \"budget\"", "\"reason_class\": \"money\""),
      "infeasible.reason_class: found money, expected floor, deadline, budget, profile, data, "
      "stuck, passes or seeds");
  EXPECT_EQ(refusal("\"kind\": \"lost\"", "\"kind\": \"eaten\""),
            "timeline[1].kind: found eaten, expected attempt, promise, join, leave, lost, switch, "
            "checkpoint, phase, pause or stop");
  EXPECT_EQ(refusal("\"pass\": 3", "\"pass\": 4294967296"),
            "measurements[0].pass: found 4294967296, expected a whole number below 2^32");
  EXPECT_EQ(refusal("\"passed\": true", "\"passed\": 1"),
            "plan.claims.assumptions[0].passed: found 1, expected true or false");
  EXPECT_EQ(refusal("\"run_s\"", "\"job\": \"x\", \"run_s\""),
            "job: found twice in one object, expected once");
  EXPECT_THAT(record_from_json("7").error().message, HasSubstr("expected an object"));
  EXPECT_THAT(record_from_json("").error().message, HasSubstr("not JSON"));
}

TEST(Certificate, AVerdictThatItsNumbersDoNotGiveIsCorrupt) {
  std::string text = to_json(kept_record());
  const std::string kept = "\"verdict\": \"kept\"";
  text.replace(text.find(kept), kept.size(), "\"verdict\": \"missed\"");
  const auto record = record_from_json(text);
  ASSERT_FALSE(record.has_value());
  EXPECT_EQ(record.error().code, ErrorCode::kCorrupt);
  EXPECT_EQ(record.error().message,
            "verdict: found missed, expected kept, which follows from its own numbers");
}

TEST(Summary, SaysWhatWasPromisedPlannedAndReached) {
  RunRecord record = kept_record();
  record.infeasible.reset();
  const std::string words = summary(record);
  EXPECT_THAT(words, HasSubstr("Promise kept (digits, digits-1)"));
  EXPECT_THAT(words, HasSubstr("promised"));
  EXPECT_THAT(words, HasSubstr("planned"));
  EXPECT_THAT(words, HasSubstr("reached"));
  EXPECT_THAT(words, HasSubstr("≤ 0.5"));
  EXPECT_THAT(words, HasSubstr("stop at 0.48"));
  EXPECT_THAT(words, HasSubstr("0.45 ± 0.02 on 4000 samples"));
  EXPECT_THAT(words, HasSubstr("to train: 1min 40s (95 %: 2min)"));
  EXPECT_THAT(words, HasSubstr("97 % (at least 93 %)"));
  EXPECT_THAT(words, HasSubstr("stopped: target met"));
}

TEST(Summary, WithoutAPlanThereIsNoColumnForOne) {
  RunRecord record = kept_record();
  record.plan.reset();
  record.stated = StatedPromise{
      .seconds = 40, .probability = 0.97, .probability_lower = 0.93, .argument = "by the laws"};
  EXPECT_THAT(summary(record), Not(HasSubstr("planned")));
  EXPECT_THAT(summary(record), HasSubstr("97 % (at least 93 %), stated after 40s"));
}

TEST(Summary, TheReasonOfARefusalIsPrintedOnce) {
  RunRecord record = kept_record();
  record.plan.reset();
  record.certified->metric = 9;
  record.infeasible->reason = "the target is out of reach";
  record.stop_reason = "the promise is refused: the target is out of reach";
  ASSERT_EQ(verdict(record), Verdict::kInfeasible);
  const std::string words = summary(record);
  EXPECT_EQ(words.find("out of reach"), words.rfind("out of reach"));
}

// A refusal rests on the samples that decide. Those that certify may be better by chance.
TEST(Summary, ATargetThatIsReachedAfterARefusalIsNoPromiseThatWasKept) {
  RunRecord record = kept_record();
  record.plan.reset();
  record.attempt_costs = {1};
  record.infeasible->reason = "the loss hardly changes";
  record.stop_reason = "the promise is refused: the loss hardly changes";
  ASSERT_EQ(verdict(record), Verdict::kKept);
  const std::string words = summary(record);
  EXPECT_THAT(words, HasSubstr("The promise was refused, but the target was reached"));
  EXPECT_THAT(words, HasSubstr("refused before the end"));
  EXPECT_THAT(words, HasSubstr("stopped: the promise is refused: the loss hardly"));
  EXPECT_THAT(words, HasSubstr("the samples that certify reach it, but others may miss it"));
  EXPECT_THAT(words, Not(HasSubstr("Promise kept")));
  record.infeasible.reset();
  EXPECT_EQ(headline(record), "Promise kept");
}

TEST(Summary, ColumnsAreAsWideAsTheirTexts) {
  RunRecord record = kept_record();
  ASSERT_TRUE(record.plan && record.plan->claims);
  record.plan->claims->seconds_mean = 123.4;
  record.plan->claims->seconds_95 = 234.5;
  const std::string words = summary(record);
  // Where `text` begins in the line that contains it. "≤" has three bytes, and is one character.
  const auto column = [&](const std::string& text) {
    const std::size_t end = words.find(text);
    const std::string line = words.substr(0, end).substr(words.rfind('\n', end) + 1);
    return std::ranges::count_if(line, [](char byte) { return (byte & 0xc0) != 0x80; });
  };
  for (const Comparison& row : comparisons(record)) {
    if (row.reached.size() < 2) continue;  // There is no number.
    EXPECT_EQ(column(" " + row.reached + "\n"), column(" reached\n")) << row.what;
  }
}

// The most consecutive digits after a decimal point, leading zeros not counted.
std::size_t longest_fraction(const std::string& text) {
  std::size_t longest = 0;
  for (std::size_t at = text.find('.'); at != std::string::npos; at = text.find('.', at + 1)) {
    std::size_t begin = text.find_first_not_of('0', at + 1);
    if (begin == std::string::npos) break;
    const std::size_t end = std::min(text.find_first_not_of("0123456789", begin), text.size());
    longest = std::max(longest, end - begin);
  }
  return longest;
}

TEST(Summary, NumbersHaveAtMostFourSignificantDigits) {
  RunRecord record = kept_record();
  record.certified->metric = 0.04485700573570785;
  record.promise.target = 0.020000000298023224;
  record.promise.budget = 0.0123456789;
  record.run_seconds = 1234.56789;
  const std::string words = summary(record);
  EXPECT_THAT(words, HasSubstr("validation loss 0.04486 is not at most 0.02\n"));
  EXPECT_LE(longest_fraction(words), 4u) << words;
}

TEST(Summary, AMissTooSmallToSeeIsSaid) {
  RunRecord record = kept_record();
  record.certified->metric = 0.5 + 1e-7;
  EXPECT_THAT(shortfalls(record),
              ElementsAre("validation loss 0.5 is not at most 0.5, off by 1e-07"));
}

// The verdict and the exit code are those of a missed promise.
TEST(Summary, WhatWasNeverPromisedIsNoMissedPromise) {
  RunRecord record = kept_record();
  record.infeasible.reset();
  record.certified->metric = 0.6;
  EXPECT_EQ(headline(record), "Promise missed");  // The plan made this promise.
  record.plan = plan_by_hand();
  EXPECT_EQ(headline(record), "No promise was stated, and the target was missed");
  record.plan.reset();
  EXPECT_EQ(headline(record), "No promise was stated, and the target was missed");
  EXPECT_EQ(verdict(record), Verdict::kMissed);
  record.stated = StatedPromise{.seconds = 40, .argument = "by the laws"};
  EXPECT_EQ(headline(record), "Promise missed");
}

TEST(Summary, AMissWithoutAPromiseNamesWhatWasMissed) {
  RunRecord record = kept_record();
  record.infeasible.reset();
  record.plan.reset();
  record.run_seconds = 1200;
  EXPECT_EQ(headline(record), "No promise was stated, and the deadline was missed");
  record.run_seconds = 800;
  record.promise.budget = 3.99;
  EXPECT_EQ(headline(record), "No promise was stated, and the budget was missed");
  record.certified.reset();
  EXPECT_EQ(headline(record), "No promise was stated, and the target was missed");
}

TEST(Certificate, AClaimThatDoesNotExistIsNull) {
  RunRecord record = kept_record();
  record.plan = plan_by_hand();
  record.plan->blocks[0].nodes.reset();
  const std::string text = to_json(record);
  EXPECT_THAT(text, HasSubstr("\"claims\": null"));
  EXPECT_THAT(text, HasSubstr("\"nodes\": null"));
  EXPECT_THAT(text, HasSubstr("\"pass_s\": null"));
  const Result<RunRecord> again = record_from_json(text);
  ASSERT_TRUE(again.has_value()) << again.error().message;
  EXPECT_FALSE(again->plan->claims);
  EXPECT_FALSE(again->plan->blocks[0].nodes);
  EXPECT_FALSE(again->plan->blocks[0].pass_s);
}

TEST(Summary, APlanSetByHandForecastsNothing) {
  RunRecord record = kept_record();
  record.plan = plan_by_hand();
  const std::string words = summary(record);
  EXPECT_THAT(words, Not(HasSubstr("to train")));
  EXPECT_THAT(words, Not(HasSubstr("0 % (at least 0 %)")));
  EXPECT_THAT(words, HasSubstr("stop at 0.48"));
}

TEST(Summary, AnInfeasiblePromiseSaysWhatCanBePromised) {
  RunRecord record = kept_record();
  record.certified.reset();
  const std::string words = summary(record);
  EXPECT_THAT(words, HasSubstr("Promise infeasible"));
  EXPECT_THAT(words, HasSubstr("too dear"));
  EXPECT_THAT(words, HasSubstr("validation loss 0.6, or deadline 33min 20s, or probability 80 %, "
                               "or budget 20, or 9 profile seeds"));
}

}  // namespace certificate_test
}  // namespace surety::certificate
