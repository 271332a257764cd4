#include "counting.h"

#include <gmock/gmock.h>

#include <cmath>

#include "load.h"
#include "runner.h"

namespace surety::bench {
namespace counting_test {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

Record record_of(const std::string& verdict, std::uint32_t index, bool stated, double cost = 1,
                 const std::string& way = kOurs) {
  Record record;
  record.key = {"digits", way, 0.9, 300, index};
  record.verdict = verdict;
  record.cost = cost;
  if (stated) record.stated_s = 5;
  if (verdict == "kept" || verdict == "missed") record.certified = 0.4;
  return record;
}

TEST(Counting, RefusedRunsAreNotAmongThoseThatMayBeKept) {
  const Count count = count_of({record_of("kept", 0, true), record_of("kept", 1, false),
                                record_of("missed", 2, true), record_of("infeasible", 3, false),
                                record_of("none", 5, false)});
  EXPECT_EQ(count.runs, 5u);
  EXPECT_EQ(count.kept.count, 2u);
  EXPECT_EQ(count.kept.of, 4u);
  EXPECT_EQ(count.kept_loaded.count, 1u);  // Runs with an odd index are beside a load.
  EXPECT_EQ(count.kept_loaded.of, 2u);
  EXPECT_EQ(count.kept_stated.count, 1u);
  EXPECT_EQ(count.kept_stated.of, 2u);
  EXPECT_EQ(count.late.count, 2u);
  EXPECT_EQ(count.kept_unstated.count, 1u);
  EXPECT_EQ(count.kept_unstated.of, 2u);
  EXPECT_EQ(count.refused, 1u);
  EXPECT_EQ(count.missed, 2u);
  EXPECT_EQ(count.broken, 1u);
}

TEST(Counting, CommandsThatGoOnAfterTheirResultAreCounted) {
  Record record = record_of("kept", 0, true);
  record.run_s = 10;
  record.wall_s = 14;
  EXPECT_EQ(count_of({record}).slow_ends, 0u);
  record.wall_s = 16;
  EXPECT_EQ(count_of({record}).slow_ends, 1u);
}

TEST(Counting, IntervalsAreExact) {
  const Share share{27, 30};  // Values of Clopper and Pearson at 90 %, from tables.
  EXPECT_NEAR(share.low(), 0.7614, 5e-4);
  EXPECT_NEAR(share.high(), 0.9722, 5e-4);
  EXPECT_NEAR((Share{30, 30}).low(), 0.9050, 5e-4);  // The exact value is 0.05^(1/30).
  EXPECT_EQ((Share{30, 30}).high(), 1);
  EXPECT_EQ((Share{}).text(), "none");
  EXPECT_THAT(share.text(), HasSubstr("27 of 30 (0.90; 0.76 to 0.97)"));
}

TEST(Counting, TheCheaperBaselineIsTheOneWithTheLessMedian) {
  const std::vector<Record> all{record_of("kept", 0, false, 3, "train full"),
                                record_of("kept", 0, false, 2, "train prune:0.5"),
                                record_of("kept", 0, true, 1)};
  EXPECT_EQ(cheapest(all, "digits", 300, {"train full", "train prune:0.5"}), "train prune:0.5");
  EXPECT_EQ(cheapest(all, "digits", 300, {"train full"}), "train full");
  EXPECT_EQ(cheapest(all, "mnist", 300, {"train full"}), "");
  EXPECT_EQ(select(all, "digits", 300, kOurs, 0.95).size(), 0u);
  EXPECT_EQ(select(all, "digits", 300, kOurs, 0.9).size(), 1u);
}

TEST(Counting, WhatAKeptRunCostsHoldsThoseThatWereNot) {
  EXPECT_EQ(cost_of_kept({record_of("kept", 0, true, 1), record_of("missed", 1, true, 2)}), 3);
  EXPECT_TRUE(std::isinf(cost_of_kept({record_of("missed", 1, true, 2)})));
}

TEST(Counting, CostsAreComparedBesideTheBaseline) {
  const std::vector<Record> runs{record_of("kept", 0, true, 3), record_of("kept", 1, true, 9)};
  std::vector<Record> baseline{record_of("kept", 0, true, 2, "train full")};
  ASSERT_EQ(beside(runs, baseline).size(), 1u);
  EXPECT_EQ(beside(runs, baseline)[0].key.index, 0u);
  ASSERT_EQ(paired_costs(runs, baseline).size(), 1u);
  EXPECT_EQ(paired_costs(runs, baseline)[0], 1.5);
}

TEST(Counting, SurprisesAreInStandardErrorsOfADifference) {
  Record worse = record_of("kept", 0, true);
  Record better = worse;
  worse.deciding = better.deciding = 0.4;
  worse.deciding_se = worse.certified_se = better.deciding_se = better.certified_se =
      std::sqrt(0.5) * 0.1;
  worse.certified = 0.6;
  better.certified = 0.4;
  const Surprise surprise = surprise_of({worse, better, record_of("none", 0, false)});
  EXPECT_EQ(surprise.runs, 2u);
  EXPECT_NEAR(surprise.mean, 1, 1e-9);
  EXPECT_NEAR(surprise.sd, std::sqrt(2.0), 1e-9);
}

TEST(Counting, SpreadsAreOfAllValues) {
  const Spread spread = spread_of({1, 2, 9});
  EXPECT_EQ(spread.median, 2);
  EXPECT_EQ(spread.mean, 4);
  EXPECT_EQ(spread.low, 1);
  EXPECT_EQ(spread.high, 9);
}

TEST(Load, IsAFunctionOfItsSeed) {
  double least = kBusyMax;
  double most = 0;
  for (std::uint64_t number = 0; number < 100; ++number) {
    const LoadStep step = load_step(7, number);
    EXPECT_EQ(step.threads, load_step(7, number).threads);
    EXPECT_GE(step.seconds, 2);
    EXPECT_LE(step.seconds, 6);
    least = std::min<double>(least, step.threads);
    most = std::max<double>(most, step.threads);
  }
  EXPECT_EQ(least, 0);
  EXPECT_EQ(most, kBusyMax);
  EXPECT_DOUBLE_EQ(mean_load(7, 1), load_step(7, 0).threads);
  EXPECT_NEAR(mean_load(7, 10'000), 2, 0.2);
}

TEST(Jobs, OfDigitsDrawOtherDataForEachSeed) {
  const RealJob job{.name = "digits", .file = {}, .data = {}, .deadline_s = 0, .versions = {}};
  RunKey key{"digits", kOurs, 0.8, 300, 0};
  const auto first = sets_of(job, key);
  EXPECT_THAT(first, Contains("promise.probability=0.8"));
  EXPECT_THAT(first, Contains("data.0.source=\"digits://?samples=8000&seed=80001&noise=0.7\""));
  EXPECT_THAT(first, Not(Contains(HasSubstr("deadline"))));  // The job's own deadline applies.
  key.index = 1;
  EXPECT_THAT(sets_of(job, key), Contains(HasSubstr("seed=80002")));
}

}  // namespace counting_test
}  // namespace surety::bench
