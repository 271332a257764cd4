// Durations of passes: means, draws and chances of ticks are compared with each other.
#include "plan/laws/time_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "base/random.h"
#include "base/statistics.h"

namespace surety::plan {
namespace time_model_test {

double sum_of(const std::vector<double>& pmf) {
  return std::accumulate(pmf.begin(), pmf.end(), 0.0);
}

double mean_ticks(const std::vector<double>& pmf) {
  double sum = 0;
  for (std::size_t d = 0; d < pmf.size(); ++d) sum += static_cast<double>(d) * pmf[d];
  return sum;
}

DurationQuantiles draw_quantiles(Random& random) {
  const auto inside = [&] { return (random.uniform() + 0x1p-54); };
  return {inside(), inside(), inside()};
}

std::vector<double> draws_of(const PassDuration& duration, std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> draws(count);
  for (double& draw : draws) draw = draw_s(duration, draw_quantiles(random));
  return draws;
}

// Random spreads, stragglers and preemptions: none, some or many, with about 5 to 300 s in total.
PassDuration any_duration(std::uint64_t seed) {
  Random random(seed);
  PassDuration duration{.median_s = 5 + 95 * random.uniform(), .eval_s = 3 * random.uniform()};
  if (random.below(3) > 0) duration.log_sd = 0.4 * random.uniform();
  if (random.below(3) > 0) duration.straggle_sd = 0.4 * random.uniform();
  duration.nodes = static_cast<std::uint32_t>(1 + random.below(64));
  if (random.below(3) > 0) duration.preemptions_per_s = 0.03 * random.uniform();
  duration.restart_s = 20 * random.uniform();
  return duration;
}

// ---- one duration -------------------------------------------------------------------------------

TEST(PassDuration, TwiceTheSpeedHalvesTheTrainingNotTheEvaluation) {
  VersionLaw law;
  law.time = {.pass_s = 12, .nodes = 4, .eval_s = 1, .log_sd = 0};
  EXPECT_DOUBLE_EQ(pass_duration(law, {.counts = {}, .nodes = 4, .speed = 4}).mean_s(), 13);
  EXPECT_DOUBLE_EQ(pass_duration(law, {.counts = {}, .nodes = 4, .speed = 8}).mean_s(), 7);
}

TEST(PassDuration, PreemptionsAddTheirRestartsOnAverage) {
  // 20 s with one preemption in 10 s: 2 on average, 5 s each.
  const PassDuration duration{
      .median_s = 19, .eval_s = 1, .preemptions_per_s = 0.1, .restart_s = 5};
  EXPECT_DOUBLE_EQ(duration.mean_s(), 30);
}

TEST(PassDuration, SlowestOfManyNodesIsItsQuantile) {
  // The largest of 3 is below its median with chance 1/2, if each one is with chance 2^(-1/3) =
  // 0.7937, that is, below 0.8193 standard deviations.
  const PassDuration duration{.median_s = 10, .straggle_sd = 0.5, .nodes = 3};
  EXPECT_NEAR(draw_s(duration, {}), 10 * std::exp(0.5 * 0.8193), 1e-3);
}

TEST(PassDuration, MeanOfTheSlowestOfTwoIsItsClosedForm) {
  // E max(e^(s x), e^(s y)) = 2 e^(s^2/2) Phi(s / sqrt 2).
  for (const double sd : {0.1, 0.5, 1.5}) {
    const double exact = 2 * std::exp(sd * sd / 2) * normal_probability(sd / std::sqrt(2));
    EXPECT_NEAR(slowest_mean(sd, 2) / exact, 1, 1e-9) << sd;
  }
  EXPECT_EQ(slowest_mean(0, 7), 1);
}

TEST(PassDuration, MeanOfTheSlowestOfManyIsThatOfItsQuantiles) {
  for (const std::uint32_t nodes : {3u, 64u, 4096u}) {
    double sum = 0;
    const int cells = 20'000;
    for (int i = 0; i < cells; ++i) {
      sum += std::exp(0.3 * normal_quantile(std::pow((i + 0.5) / cells, 1.0 / nodes)));
    }
    EXPECT_NEAR(slowest_mean(0.3, nodes) / (sum / cells), 1, 2e-4) << nodes;
  }
}

TEST(PassDuration, WorseLuckNeverTakesLessTime) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const PassDuration duration = any_duration(seed);
    Random random(seed + 1000);
    const DurationQuantiles quantiles = draw_quantiles(random);
    const double drawn = draw_s(duration, quantiles);
    EXPECT_GE(drawn, duration.eval_s);
    for (double DurationQuantiles::*which :
         {&DurationQuantiles::pass, &DurationQuantiles::slowest, &DurationQuantiles::preemptions}) {
      DurationQuantiles worse = quantiles;
      worse.*which = (quantiles.*which + 1) / 2;
      EXPECT_GE(draw_s(duration, worse), drawn) << seed;
    }
  }
}

TEST(PassDuration, DrawsHaveTheMeanThatItSays) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const PassDuration duration = any_duration(seed);
    const std::vector<double> draws = draws_of(duration, 4000, seed);
    const double error = std::sqrt(variance(draws) / 4000);
    EXPECT_NEAR(mean(draws), duration.mean_s(), 4 * error + 1e-9 * duration.mean_s()) << seed;
  }
}

TEST(PassDuration, ManyPreemptionsAreStillPoisson) {
  // 100 preemptions of one second each: mean 100 and variance 100, in addition to the 200 s of the
  // pass.
  const PassDuration duration{.median_s = 200, .preemptions_per_s = 0.5, .restart_s = 1};
  const std::vector<double> draws = draws_of(duration, 10'000, 1);
  EXPECT_NEAR(mean(draws), 300, 4 * std::sqrt(100.0 / 10'000));
  EXPECT_NEAR(variance(draws), 100, 6);
}

// ---- chances of ticks ---------------------------------------------------------------------------

TEST(DurationPmf, CertainDurationIsSplitBetweenItsTwoTicks) {
  const PassDuration duration{.median_s = 11, .eval_s = 1.5};
  const std::vector<double> pmf = duration_pmf(duration, 5, 10);  // The duration is 2.5 ticks.
  ASSERT_EQ(pmf.size(), 11u);
  EXPECT_NEAR(pmf[2], 0.5, 1e-12);
  EXPECT_NEAR(pmf[3], 0.5, 1e-12);
  EXPECT_NEAR(duration_pmf(duration, 12.5, 10)[1], 1, 1e-12);
  EXPECT_NEAR(duration_pmf({.median_s = 20}, 5, 10)[4], 1, 1e-12);
}

TEST(DurationPmf, PassTakesAtLeastOneTick) {
  EXPECT_NEAR(duration_pmf({.median_s = 1, .log_sd = 0.2}, 60, 10)[1], 1, 1e-9);
}

TEST(DurationPmf, DurationsBeyondTheLastTickAreOmitted) {
  EXPECT_EQ(sum_of(duration_pmf({.median_s = 100}, 1, 50)), 0);
  // The median is 50 ticks: half of the chance, and the part split between ticks 50 and 51.
  EXPECT_NEAR(sum_of(duration_pmf({.median_s = 50, .log_sd = 0.5}, 1, 50)), 0.5, 0.01);
  EXPECT_NEAR(duration_pmf({.median_s = 10.25}, 1, 10)[10], 0.75, 1e-12);
}

TEST(DurationPmf, SumsToOneAndKeepsTheMeanAtAnyTick) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    PassDuration duration = any_duration(seed);
    duration.median_s += 10;
    // The mean must hold even at 2 ticks, but nothing may be shorter than one tick.
    for (const double ticks : {2.0, 2.8, 40.0}) {
      if (ticks < 3) duration.log_sd = std::min(duration.log_sd, 0.1);
      const double tick_s = duration.mean_s() / ticks;
      if (duration.median_s + duration.eval_s < 1.6 * tick_s) continue;
      const std::vector<double> pmf = duration_pmf(duration, tick_s, 600);
      for (const double chance : pmf) ASSERT_GE(chance, 0);
      EXPECT_EQ(pmf[0], 0);
      EXPECT_NEAR(sum_of(pmf), 1, 1e-6);
      EXPECT_LE(sum_of(pmf), 1 + 1e-12);
      EXPECT_NEAR(mean_ticks(pmf) / ticks, 1, 2e-3) << seed << ' ' << ticks;
    }
  }
}

// Largest difference between two distribution functions over ticks. Draws are split like the pmf.
double distance(const std::vector<double>& pmf, const std::vector<double>& draws, double tick_s) {
  std::vector<double> seen(pmf.size());
  for (const double draw : draws) {
    const double ticks = std::max(draw / tick_s, 1.0);
    const auto below = static_cast<std::size_t>(ticks);
    const double share = ticks - static_cast<double>(below);
    if (below < seen.size()) seen[below] += (1 - share) / static_cast<double>(draws.size());
    if (below + 1 < seen.size()) seen[below + 1] += share / static_cast<double>(draws.size());
  }
  double difference = 0;
  double largest = 0;
  for (std::size_t d = 0; d < pmf.size(); ++d) {
    difference += pmf[d] - seen[d];
    largest = std::max(largest, std::abs(difference));
  }
  return largest;
}

TEST(DurationPmf, IsTheDistributionOfTheDraws) {
  // Kolmogorov-Smirnov test: 1.95 / sqrt(n) is exceeded in one of a thousand cases.
  const std::size_t count = 10'000;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const PassDuration duration = any_duration(seed);
    const double tick_s = duration.mean_s() / static_cast<double>(2 + 10 * (seed % 12));
    const std::vector<double> pmf = duration_pmf(duration, tick_s, 300);
    EXPECT_LT(distance(pmf, draws_of(duration, count, seed + 1), tick_s),
              1.95 / std::sqrt(static_cast<double>(count)))
        << seed;
  }
}

TEST(DurationPmf, IsTheDistributionOfTheDrawsWithManyPreemptions) {
  const PassDuration duration{.median_s = 200,
                              .log_sd = 0.05,
                              .straggle_sd = 0.1,
                              .nodes = 4,
                              .preemptions_per_s = 0.5,
                              .restart_s = 1};
  const std::vector<double> pmf = duration_pmf(duration, 3, 300);
  EXPECT_LT(distance(pmf, draws_of(duration, 10'000, 3), 3), 1.95 / std::sqrt(10'000));
}

TEST(DurationPmf, NoTickIsSkippedHoweverWideTheSpread) {
  const std::vector<double> pmf =
      duration_pmf({.median_s = 300, .log_sd = 1, .straggle_sd = 0.5, .nodes = 8}, 1, 400);
  // 1 / (400 ticks * 10): the density falls slowly, so neighbouring values are close.
  for (std::size_t d = 200; d < 400; ++d) EXPECT_NEAR(pmf[d] / pmf[d - 1], 1, 0.1) << d;
}

}  // namespace time_model_test
}  // namespace surety::plan
