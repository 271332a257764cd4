#include "learn/linear/glm_line_search.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "learn/linear/solver/glm_penalty.h"

namespace surety::learn {
namespace glm_line_search_test {

constexpr Loss kLosses[] = {Loss::kLogistic, Loss::kHinge, Loss::kSquaredHinge, Loss::kSquared};

// D'(t) falls from `at_0` by `fall` per unit of t.
LinePoints line(double at_0, double fall) {
  LinePoints rise;
  for (std::size_t j = 0; j < rise.size(); ++j) rise[j] = at_0 - fall * kLineSteps[j];
  return rise;
}

TEST(LineStep, AParabolaIsFollowedToItsPeak) {
  // 3 - 6 t is zero at 1/2, and 3 - 24 t at 1/8.
  EXPECT_DOUBLE_EQ(line_step(line(3, 6), {}), 0.5);
  EXPECT_DOUBLE_EQ(line_step(line(3, 24), {}), 0.125);
}

TEST(LineStep, EndsWhereDualVariablesMayReachTheirBounds) {
  // 3 - 2 t is zero at 1.5, and 3 - t at 3.
  EXPECT_EQ(line_step(line(3, 2), {}), 1);
  EXPECT_DOUBLE_EQ(line_step(line(3, 2), {.longest = 2}), 1.5);
  EXPECT_EQ(line_step(line(3, 1), {.longest = 2}), 2);
}

TEST(LineStep, NeverStaysOrTurnsBack) {
  EXPECT_GT(line_step(line(0, 0), {}), 0);
  EXPECT_GT(line_step(line(1, 1e9), {}), 0);
  EXPECT_GT(line_step(line(-1, 1), {}), 0);
}

TEST(LineStep, OfUpdatesThatCrossedMayBeNone) {
  EXPECT_EQ(line_step(line(-1, 1), {.shortest = 0}), 0);
  EXPECT_NEAR(line_step(line(1, 100), {.shortest = 0}), 0.01, 1e-12);
}

TEST(Care, GrowsWhileSumsAreTooLongAndRelaxesSlowly) {
  EXPECT_EQ(next_sigma_scale(1, 0.3), 2);
  EXPECT_LT(next_sigma_scale(2, 1), 2);
  EXPECT_GT(next_sigma_scale(2, 1), 1.5);
  double sigma_scale = 1;
  for (int i = 0; i < 20; ++i) sigma_scale = next_sigma_scale(sigma_scale, 0);
  EXPECT_EQ(sigma_scale, next_sigma_scale(sigma_scale, 0));  // The limit is reached.
  for (int i = 0; i < 50; ++i) sigma_scale = next_sigma_scale(sigma_scale, 1);
  EXPECT_EQ(sigma_scale, next_sigma_scale(sigma_scale, 1));
  EXPECT_GT(sigma_scale, kLineSearchSigmaScale);
}

TEST(LineStep, EverySecondStopsShortOfThePeak) {
  EXPECT_DOUBLE_EQ(line_step(line(3, 6), {.share = share_of_peak(8)}), 0.5 * kCutShort);
  EXPECT_DOUBLE_EQ(line_step(line(3, 2), {.share = share_of_peak(0)}), kCutShort);
  EXPECT_DOUBLE_EQ(line_step(line(3, 6), {.share = share_of_peak(7)}), 0.5);
}

TEST(LineStep, WithFewWorkersASafeSumIsNotAskedForAndWithManyASeventhOfOne) {
  EXPECT_EQ(sigma_of(1, true), 1);
  EXPECT_EQ(sigma_of(6, true), 1);
  EXPECT_DOUBLE_EQ(sigma_of(40, true), 6);
  EXPECT_EQ(sigma_of(40, false), 40);
}

// Dual variables of random rows, which move from one random point of the loss's domain to another.
struct Line {
  std::vector<float> from;
  std::vector<float> to;
  std::vector<float> labels;
  std::vector<float> dv;
  std::vector<double> v;
  double threshold = 0;

  // n (D(t) - D(0)) - pull * t, with a penalty of strength 1.
  [[nodiscard]] double rise(Loss loss, double t, double pull) const {
    double sum = -pull * t;
    for (std::size_t i = 0; i < from.size(); ++i) {
      const double alpha = from[i] + t * (double{to[i]} - from[i]);
      sum += conjugate_at(loss, from[i], labels[i]) - conjugate_at(loss, alpha, labels[i]);
    }
    for (std::size_t f = 0; f < v.size(); ++f) {
      const double before = soft(v[f], threshold);
      const double after = soft(v[f] + t * dv[f], threshold);
      sum += (before * before - after * after) / 2;
    }
    return sum;
  }
  [[nodiscard]] LinePoints slopes(Loss loss, double pull) const {
    LinePoints sums;
    sums.fill(-pull);
    for (std::size_t f = 0; f < v.size(); ++f) {
      for (double& sum : sums) sum -= soft(v[f], threshold) * dv[f];
    }
    add_slopes(loss, from, to, labels, sums);
    const LinePoints penalty = penalty_slopes(v, dv, 1, threshold);
    for (std::size_t j = 0; j < sums.size(); ++j) sums[j] -= penalty[j];
    return sums;
  }
};

Line random_line(Loss loss, double threshold, std::uint64_t seed) {
  Random random(seed);
  Line line;
  line.threshold = threshold;
  for (int i = 0; i < 20; ++i) {
    const double y = random.uniform() < 0.5 ? -1 : 1;
    const double size = loss == Loss::kSquared || loss == Loss::kSquaredHinge ? 3 : 1;
    // Some values are at a bound, and some move to one.
    const auto dual = [&] {
      const double b = size * std::clamp(1.4 * random.uniform() - 0.2, 0.0, 1.0);
      return static_cast<float>(y * b);
    };
    line.from.push_back(dual());
    line.to.push_back(dual());
    line.labels.push_back(static_cast<float>(y));
  }
  for (int f = 0; f < 10; ++f) {
    line.v.push_back(random.normal());
    line.dv.push_back(static_cast<float>(random.normal()));
  }
  return line;
}

TEST(LineSearch, FindsNearlyAllThatAFineGridDoes) {
  for (const Loss loss : kLosses) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      const double threshold = seed % 2 == 0 ? 0 : 0.5;
      const Line line = random_line(loss, threshold, seed);
      // The pull is chosen so that the dual rises at least up to the first point, as it does after
      // compute().
      const double pull =
          line.rise(loss, kLineSteps[0], 0) / kLineSteps[0] - 2 * Random(seed).uniform();
      double most = 0;
      for (int i = 0; i <= 100; ++i) most = std::max(most, line.rise(loss, i / 100.0, pull));
      const double step = line_step(line.slopes(loss, pull), {});
      const double found = line.rise(loss, step, pull);
      EXPECT_GE(found, 0) << seed;
      // Exact, except for logarithms and the corners of soft().
      const double share = loss == Loss::kLogistic || threshold > 0 ? 0.8 : 0.999;
      EXPECT_GE(found, share * most) << seed << " step " << step;
    }
  }
}

TEST(LineSearch, SamplesThatRestAndNoStateAddNothing) {
  LinePoints sums{};
  const std::vector<float> zeros{0, 0};
  const std::vector<float> some{0.5f, 0};
  const std::vector<float> labels{1, -1};
  add_slopes(Loss::kLogistic, {}, zeros, labels, sums);
  add_slopes(Loss::kLogistic, some, some, labels, sums);
  for (const double sum : sums) EXPECT_EQ(sum, 0);
  // The result is -d times the slope -y of the hinge's conjugate.
  add_slopes(Loss::kHinge, {}, some, labels, sums);
  for (const double sum : sums) EXPECT_EQ(sum, 0.5);
}

}  // namespace glm_line_search_test
}  // namespace surety::learn
