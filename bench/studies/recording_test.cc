#include "bench/studies/recording.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <set>

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

// A file with one valid line, in which the first `was` is replaced by `is`.
std::string with(const std::string& was, const std::string& is) {
  std::string line = line_of(measured_at(7, "full*2", 1.0));
  const std::size_t at = line.find(was);
  EXPECT_NE(at, std::string::npos) << was << " is not in " << line;
  return head_of(provenance()) + line.replace(at, was.size(), is);
}

TEST(Recording, IsReadAsItIsWritten) {
  const Measured a = measured_at(1, "full*0", 2.3);
  const Measured b = measured_at(2, "prune:0.5*1/full*0", 0.7);
  const auto recording =
      read_recording("t.csv", head_of(provenance()) + line_of(a) + line_of(b)).value();
  EXPECT_EQ(recording.measured, (std::vector{a, b}));
  EXPECT_EQ(recording.provenance.text(), "network=lenet5");
  EXPECT_FALSE(recording.is_older);
}

TEST(Recording, PartsSumToTheWhole) {
  const Measured measured = measured_at(7, "full*2", 1.0);
  const Sums whole = measured.whole();
  EXPECT_EQ(whole.samples, 1600u);
  EXPECT_EQ(whole.correct, 600u);
  EXPECT_NEAR(whole.mean(), 1.075, 1e-12);
  // The variance within parts is 0.25, and between them 0.0001 (16^2 - 1) / 12.
  EXPECT_NEAR(whole.mean_se(), std::sqrt(0.252125 / 1600), 1e-9);
  EXPECT_TRUE(line_of(measured).starts_with("7,full*2,2,1.075,0.012553,0.375,1.5,4000,100,100,"))
      << line_of(measured);
}

TEST(Recording, AColumnThatTheSumsContradictIsRefused) {
  EXPECT_EQ(error_of(with(",1.075,", ",1.08,")),
            "t.csv:3: metric: found '1.08', expected 1.075 by the sums");
  EXPECT_EQ(error_of(with(",0.012553,", ",0.0125,")),
            "t.csv:3: metric_se: found '0.0125', expected 0.012553 by the sums");
  EXPECT_EQ(error_of(with(",0.375,", ",0.4,")),
            "t.csv:3: accuracy: found '0.4', expected 0.375 by the sums");
  EXPECT_EQ(error_of(with("full*2,2,", "full*2,3,")),
            "t.csv:3: pass: found '3', expected 2 by the path");
}

TEST(Recording, AMalformedFieldIsNamedWithLineAndColumn) {
  EXPECT_EQ(error_of(with("7,", "x,")),
            "t.csv:3: seed: found 'x', expected a whole number from 0 to 4294967295");
  EXPECT_EQ(error_of(with("full*2", "half*2")),
            "t.csv:3: path: found 'half*2', expected a path like full*2/prune:0.5*1");
  EXPECT_EQ(error_of(with("4000,100,100,", "4000,100,nan,")),
            "t.csv:3: p1_loss: found 'nan', expected a finite number");
  EXPECT_EQ(error_of(with("4000,100,100,", "4000,0,100,")),
            "t.csv:3: p1_samples: found '0', expected from 1 to 1000000000");
  EXPECT_EQ(error_of(with("4000,100,100,125,0,", "4000,100,-100,125,0,")),
            "t.csv:3: p1_loss: found '-100', expected at least 0");
  EXPECT_EQ(error_of(with("4000,100,100,125,0,", "4000,100,100,99,0,")),
            "t.csv:3: p1_loss_square: found '99', expected from 100 to 1e+18");
  EXPECT_EQ(error_of(with("4000,100,100,125,0,", "4000,100,100,125,101,")),
            "t.csv:3: p1_correct: found '101', expected at most 100");
  EXPECT_EQ(error_of(with(",4000", "")), "t.csv:3: found 71 columns, expected 72");
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

TEST(Recording, AFileWithOtherPartsIsRefused) {
  const std::string text = head_of(provenance()) + line_of(measured_at(7, "full*2", 1.0));
  const std::size_t fifth = text.find(",p5_samples");
  const std::string quarters = text.substr(0, fifth) + "\n";
  EXPECT_TRUE(error_of(quarters).starts_with("t.csv:2: header: found 'seed,path,pass,"))
      << error_of(quarters);
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

TEST(Division, DecidesByThePartsThatItNames) {
  // The means of the parts are 1.00, 1.01, ..., 1.15.
  const Measured measured = measured_at(7, "full*2", 1.0);
  const Point point = divide(measured, {0b0101'0101'0101'0101});
  EXPECT_EQ(point.metric, 1.07);
  EXPECT_EQ(point.certify_metric, 1.08);
  EXPECT_NEAR(point.metric_se, std::sqrt((0.25 + 0.0004 * 63 / 12) / 800), 1e-6);
  const Point smaller = divide(measured, {0b0111});
  EXPECT_EQ(smaller.metric, 1.01);
  EXPECT_EQ(smaller.certify_metric, 1.09);
}

TEST(Division, DrawnHalvesTakeHalfOfThePartsAndEachPartEquallyOften) {
  constexpr std::uint32_t kDraws = 4000;
  Random random(1);
  std::set<std::uint32_t> different;
  std::array<std::uint32_t, kParts> decides{};
  for (std::uint32_t draw = 0; draw < kDraws; ++draw) {
    const std::uint32_t deciding = draw_halving(random).deciding;
    EXPECT_EQ(std::popcount(deciding), 8);
    EXPECT_LT(deciding, 1u << kParts);
    different.insert(deciding);
    for (std::size_t part = 0; part < kParts; ++part) decides[part] += deciding >> part & 1;
  }
  // Allows four standard deviations of 32.
  for (const std::uint32_t count : decides) EXPECT_NEAR(count, kDraws / 2, 127);
  // All but 9,432 of the 12,870 divisions are drawn at least once; the standard deviation is 22.
  EXPECT_NEAR(static_cast<double>(different.size()), 3438, 90);
}

TEST(Division, OfASeedIsAlwaysTheSame) {
  std::set<std::uint32_t> used;
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    EXPECT_EQ(halving_of_seed(seed), halving_of_seed(seed));
    used.insert(halving_of_seed(seed).deciding);
  }
  EXPECT_GT(used.size(), 15u);
}

}  // namespace recording_test
}  // namespace surety::bench
