#include "learn/network/sgd.h"

#include <gtest/gtest.h>

#include <vector>

namespace surety::learn {
namespace sgd_test {

using Vector = std::vector<float>;

TEST(Sgd, PlainStepGoesDownTheGradient) {
  Vector w{1, 2};
  Vector v{0, 0};
  const SgdOptions options{.learning_rate = 0.5f, .momentum = 0, .weight_decay = 0};
  sgd_step(options, Vector{2, -4}, v, w);
  EXPECT_EQ(w, (Vector{0, 4}));
}

TEST(Sgd, MomentumAddsUpThePast) {
  Vector w{0};
  Vector v{0};
  const SgdOptions options{.learning_rate = 1, .momentum = 0.5f, .weight_decay = 0};
  sgd_step(options, Vector{1}, v, w);  // v = 1
  sgd_step(options, Vector{1}, v, w);  // v = 1.5
  sgd_step(options, Vector{0}, v, w);  // v = 0.75: momentum without a gradient.
  EXPECT_EQ(v, (Vector{0.75f}));
  EXPECT_EQ(w, (Vector{-3.25f}));
}

TEST(Sgd, WeightDecayPullsToZeroThroughTheMomentum) {
  Vector w{8};
  Vector v{0};
  const SgdOptions options{.learning_rate = 0.5f, .momentum = 0.5f, .weight_decay = 0.25f};
  sgd_step(options, Vector{0}, v, w);  // v = 2, w = 7
  EXPECT_EQ(v, (Vector{2}));
  EXPECT_EQ(w, (Vector{7}));
}

}  // namespace sgd_test
}  // namespace surety::learn
