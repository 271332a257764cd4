#include "bench/studies/recording.h"

#include <gtest/gtest.h>

#include <cmath>

#include "bench/studies/division.h"
#include "bench/studies/recording_testing.h"

namespace surety::bench {
namespace recording_test {

Provenance provenance() {
  Provenance some;
  some.put("network", "lenet5");
  return some;
}

std::string error_of(const std::string& text) {
  const auto recording = read_recording("t.csv", text);
  return recording ? "none" : recording.error().message;
}

// A file of one good line in which the first `was` of the line is replaced.
std::string with(const std::string& was, const std::string& is) {
  std::string line = line_of(measured_at(7, "full*2", 1.0));
  const std::size_t at = line.find(was);
  EXPECT_NE(at, std::string::npos) << was << " is not in " << line;
  return head_of(provenance()) + line.replace(at, was.size(), is);
}

TEST(Recording, IsReadAsItIsWritten) {
  const Measured a = measured_at(1, "full*0", 2.3), b = measured_at(2, "prune:0.5*1/full*0", 0.7);
  const auto recording =
      read_recording("t.csv", head_of(provenance()) + line_of(a) + line_of(b)).value();
  EXPECT_EQ(recording.measured, (std::vector{a, b}));
  EXPECT_EQ(recording.provenance.text(), "network=lenet5");
  EXPECT_FALSE(recording.is_older);
}

TEST(Recording, QuartersSumToTheWhole) {
  const Measured measured = measured_at(7, "full*2", 1.0);
  const Sums whole = measured.whole();
  EXPECT_EQ(whole.samples, 400u);
  EXPECT_EQ(whole.correct, 60u);
  EXPECT_DOUBLE_EQ(whole.mean(), 1.15);
  // Variance within quarters 0.25, between them 0.0125.
  EXPECT_NEAR(whole.mean_se(), std::sqrt(0.2625 / 400), 1e-9);
  EXPECT_TRUE(line_of(measured).starts_with("7,full*2,2,1.15,0.025617,0.15,1.5,4000,100,100,"))
      << line_of(measured);
}

TEST(Recording, AColumnThatTheSumsContradictIsRefused) {
  EXPECT_EQ(error_of(with(",1.15,", ",1.16,")),
            "t.csv:3: metric: found '1.16', expected 1.15 by the sums");
  EXPECT_EQ(error_of(with(",0.025617,", ",0.025,")),
            "t.csv:3: metric_se: found '0.025', expected 0.025617 by the sums");
  EXPECT_EQ(error_of(with(",0.15,", ",0.2,")),
            "t.csv:3: accuracy: found '0.2', expected 0.15 by the sums");
  EXPECT_EQ(error_of(with("full*2,2,", "full*2,3,")),
            "t.csv:3: pass: found '3', expected 2 by the path");
}

TEST(Recording, AMalformedFieldIsNamedWithLineAndColumn) {
  EXPECT_EQ(error_of(with("7,", "x,")),
            "t.csv:3: seed: found 'x', expected a whole number from 0 to 4294967295");
  EXPECT_EQ(error_of(with("full*2", "half*2")),
            "t.csv:3: path: found 'half*2', expected a path like full*2/prune:0.5*1");
  EXPECT_EQ(error_of(with("4000,100,100,", "4000,100,nan,")),
            "t.csv:3: q1_loss: found 'nan', expected a finite number");
  EXPECT_EQ(error_of(with("4000,100,100,", "4000,0,100,")),
            "t.csv:3: q1_samples: found '0', expected from 1 to 1000000000");
  EXPECT_EQ(error_of(with("4000,100,100,125,0,", "4000,100,-100,125,0,")),
            "t.csv:3: q1_loss: found '-100', expected at least 0");
  EXPECT_EQ(error_of(with("4000,100,100,125,0,", "4000,100,100,99,0,")),
            "t.csv:3: q1_loss_square: found '99', expected from 100 to 1e+18");
  EXPECT_EQ(error_of(with("4000,100,100,125,0,", "4000,100,100,125,101,")),
            "t.csv:3: q1_correct: found '101', expected at most 100");
  EXPECT_EQ(error_of(with(",4000", "")), "t.csv:3: found 23 columns, expected 24");
}

TEST(Recording, ASeedAndPathThatComeTwiceAreRefused) {
  const std::string line = line_of(measured_at(7, "full*2", 1.0));
  EXPECT_EQ(error_of(head_of(provenance()) + line + line),
            "t.csv:4: path: found 'full*2', expected one line for seed 7");
}

TEST(Recording, AFirstLineOfSomethingElseIsRefused) {
  EXPECT_EQ(error_of("seed,path\n"), "t.csv:1: found 'seed,path', expected '# study network=...'");
  EXPECT_EQ(error_of(""), "t.csv:1: found '', expected '# study network=...'");
  EXPECT_NE(error_of("# study network=lenet5\nseed\n").find("t.csv:2: header: found 'seed'"),
            std::string::npos);
}

TEST(Recording, TheOlderLayoutWithTwoHalvesIsRead) {
  const auto recording =
      read_recording("t.csv",
                     "# lenet5 on 6000 images\n"
                     "seed,path,metric,metric_se,certify_metric,certify_se,cpu_s\n"
                     "7,full*1,0.5,0.01,0.6,0.02,1.5\n")
          .value();
  EXPECT_TRUE(recording.is_older);
  EXPECT_EQ(recording.described, "lenet5 on 6000 images");
  ASSERT_EQ(recording.halves.size(), 1u);
  EXPECT_EQ(recording.halves[0].certify_metric, 0.6);
}

TEST(Division, SixOfThemAreIntoHalves) {
  EXPECT_EQ(halvings().size(), 6u);
  for (const Division division : halvings()) {
    const Point point = divide(measured_at(7, "full*2", 1.0), division);
    EXPECT_NEAR(point.metric + point.certify_metric, 2 * 1.15, 1e-4);
  }
}

TEST(Division, DecidesByTheQuartersThatItNames) {
  const Measured measured = measured_at(7, "full*2", 1.0);  // Means 1.0, 1.1, 1.2, 1.3.
  const Point point = divide(measured, {0b0101});
  EXPECT_EQ(point.metric, 1.1);
  EXPECT_EQ(point.certify_metric, 1.2);
  EXPECT_NEAR(point.metric_se, std::sqrt(0.26 / 200), 1e-6);
  const Point larger = divide(measured, {0b0111});
  EXPECT_EQ(larger.metric, 1.1);
  EXPECT_EQ(larger.certify_metric, 1.3);
}

TEST(Division, OfASeedIsAlwaysTheSame) {
  std::vector<std::uint32_t> used(16);
  for (std::uint32_t seed = 1; seed <= 600; ++seed) {
    EXPECT_EQ(halving_of_seed(seed), halving_of_seed(seed));
    ++used[halving_of_seed(seed).deciding];
  }
  // 100 of each, give or take four times 9.1.
  for (const Division division : halvings()) EXPECT_NEAR(used[division.deciding], 100, 37);
}

}  // namespace recording_test
}  // namespace surety::bench
