#include "learn/linear/solver/glm_extrapolation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"

namespace surety::learn {
namespace glm_extrapolation_test {

void add(std::span<const float> x, Extrapolation& series) {
  std::copy(x.begin(), x.end(), series.next().begin());
}

TEST(Extrapolation, AnAffineMapOfOneNumberIsSolvedExactly) {
  // x -> x / 2 + 1 has the fixed point 2.
  Extrapolation series(1, 2);
  for (float x : {0.0f, 1.0f, 1.5f}) add(std::span(&x, 1), series);
  ASSERT_TRUE(series.full());
  EXPECT_NEAR(series.guess()[0], 2, 1e-4);
}

TEST(Extrapolation, FindsTheFixedPointOfSlowMapsFarBetterThanTheLastStep) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    // Each of four numbers moves slowly to its own limit at its own rate.
    Random random(seed);
    double limit[4];
    double rate[4];
    for (int i = 0; i < 4; ++i) {
      limit[i] = random.normal();
      rate[i] = 0.3 + 0.65 * random.uniform();
    }
    Extrapolation series(4);
    std::vector<float> x(4, 0.0f);
    for (int step = 0; !series.full(); ++step) {
      for (std::size_t i = 0; i < 4; ++i) {
        x[i] = static_cast<float>(limit[i] * (1 - std::pow(rate[i], step)));
      }
      add(x, series);
    }
    const std::vector<double> guess = series.guess();
    double last = 0;
    double guessed = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      last += std::pow(x[i] - limit[i], 2);
      guessed += std::pow(guess[i] - limit[i], 2);
    }
    EXPECT_LT(guessed, last / 4) << "seed " << seed;
  }
}

TEST(Extrapolation, APointThatRestsStaysWhereItIs) {
  Extrapolation series(3);
  const std::vector<float> x{1, 2, 3};
  while (!series.full()) add(x, series);
  const std::vector<double> guess = series.guess();
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(guess[i], x[i], 1e-12);
}

TEST(Extrapolation, ARestartForgetsTheOldSeries) {
  Extrapolation series(1, 2);
  for (float x : {100.0f, 50.0f, 7.0f}) add(std::span(&x, 1), series);
  series.restart();
  EXPECT_FALSE(series.full());
  for (float x : {0.0f, 1.0f, 1.5f}) add(std::span(&x, 1), series);
  EXPECT_NEAR(series.guess()[0], 2, 1e-4);
}

}  // namespace glm_extrapolation_test
}  // namespace surety::learn
