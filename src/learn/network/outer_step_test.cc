#include "learn/network/outer_step.h"

#include <gtest/gtest.h>

#include <vector>

namespace surety::learn {
namespace outer_step_test {

using Vector = std::vector<float>;

// Like the code that merges, it first adds u to w.
void merge(const OuterOptions& options, const Vector& update, Vector& velocity, Vector& model) {
  for (std::size_t i = 0; i < update.size(); ++i) model[i] += update[i];
  outer_step(options, update, velocity, model);
}

TEST(OuterStep, WithoutMomentumAndAtRateOneItIsTheAverage) {
  Vector w{1, 2};
  Vector none;
  EXPECT_TRUE(OuterOptions{}.is_average());
  merge({}, {0.5f, -1}, none, w);
  EXPECT_EQ(w, (Vector{1.5f, 1}));
}

TEST(OuterStep, TwoStepsAreNesterovs) {
  // v = 4, then 0.5 * 4 + 2 = 4; w = 0.25 * (4 + 0.5 * 4) = 1.5, then + 0.25 * (2 + 0.5 * 4) = 2.5.
  Vector w{0};
  Vector v{0};
  const OuterOptions options{.momentum = 0.5f, .learning_rate = 0.25f};
  merge(options, {4}, v, w);
  EXPECT_EQ(v, Vector{4});
  EXPECT_EQ(w, Vector{1.5f});
  merge(options, {2}, v, w);
  EXPECT_EQ(v, Vector{4});
  EXPECT_EQ(w, Vector{2.5f});
}

TEST(OuterStep, MomentumRollsOnWithoutAnUpdate) {
  Vector w{0};
  Vector v{8};
  merge({.momentum = 0.5f, .learning_rate = 1}, {0}, v, w);  // v = 4, w = 0.5 * 4.
  EXPECT_EQ(v, Vector{4});
  EXPECT_EQ(w, Vector{2});
}

TEST(OuterStep, ARateAloneScalesTheUpdate) {
  Vector w{1};
  Vector none;
  merge({.momentum = 0, .learning_rate = 0.5f}, {4}, none, w);
  EXPECT_EQ(w, Vector{3});
}

}  // namespace outer_step_test
}  // namespace surety::learn
