#include "learn/linear/solver/glm_replicas.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "base/random.h"
#include "learn/linear/solver/glm_penalty.h"

namespace surety::learn {
namespace glm_replicas_test {

// Rows and the model that they move; all dual variables start at zero.
struct Problem {
  DualProblem dual;
  std::vector<std::vector<float>> value;
  std::vector<std::vector<std::uint32_t>> feature;  // Empty for dense rows.
  std::vector<DualRow> rows;
  std::vector<double> v;
  std::vector<float> rounded;

  Problem(const DualProblem& problem, std::size_t features)
      : dual(problem), v(features, 0.0), rounded(features, 0.0f) {}

  void add(std::vector<float> x, float label, std::vector<std::uint32_t> at = {}) {
    value.push_back(std::move(x));
    feature.push_back(std::move(at));
    rows.push_back({.x = {}, .label = label});
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i].x = {.feature = feature[i].empty() ? nullptr : feature[i].data(),
                   .value = value[i].data(),
                   .count = static_cast<std::uint32_t>(value[i].size())};
    }
  }
  [[nodiscard]] std::size_t feature_at(std::size_t row, std::size_t i) const {
    return feature[row].empty() ? i : feature[row][i];
  }
  // scale * A alpha, summed from the dual variables.
  [[nodiscard]] std::vector<double> model() const {
    std::vector<double> sum(v.size(), 0.0);
    for (std::size_t row = 0; row < rows.size(); ++row) {
      for (std::size_t i = 0; i < value[row].size(); ++i) {
        sum[feature_at(row, i)] += dual.scale * rows[row].alpha * value[row][i];
      }
    }
    return sum;
  }
  [[nodiscard]] double dual_value() const {
    double sum = 0;
    for (const DualRow& row : rows) sum -= conjugate_at(dual.loss, row.alpha, row.label);
    for (const double weight : model()) {
      sum -= std::pow(soft(weight, dual.threshold), 2) / (2 * dual.scale);
    }
    return sum;
  }
};

Problem random_problem(const DualProblem& problem, bool sparse, std::uint64_t seed) {
  static constexpr std::size_t kFeatures = 21;  // This is no multiple of any vector or block size.
  Random random(seed);
  Problem drawn(problem, kFeatures);
  for (int row = 0; row < 61; ++row) {
    std::vector<float> x;
    std::vector<std::uint32_t> at;
    for (std::uint32_t f = 0; f < kFeatures; ++f) {
      if (sparse && f > 0 && random.uniform() > 0.2) continue;
      if (sparse) at.push_back(f);
      x.push_back(static_cast<float>(random.normal()));
    }
    drawn.add(x, random.uniform() < 0.5 ? 1.0f : -1.0f, at);
  }
  return drawn;
}

bool always() { return true; }

TEST(Replicas, DualNeverFallsAndTheModelStaysTheSumOfItsDuals) {
  for (const Loss loss : {Loss::kHinge, Loss::kSquaredHinge, Loss::kLogistic, Loss::kSquared}) {
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      Problem problem = random_problem(
          {.loss = loss, .scale = 0.5, .threshold = seed % 3 == 0 ? 0.1 : 0}, seed % 2 == 0, seed);
      SerialTeam team(2 + seed % 3);
      Replicas::Memory memory;
      Replicas replicas(problem.dual, row_kernels(), team, memory, problem.v, problem.rounded);
      double before = problem.dual_value();
      for (int visit = 0; visit < 6; ++visit) {
        const std::size_t rounds = 1 + seed % 4;
        ASSERT_EQ(replicas.visit(problem.rows, rounds, always).broken, nullptr);
        const double after = problem.dual_value();
        EXPECT_GE(after, before - 1e-6);
        before = after;
        const std::vector<double> model = problem.model();
        for (std::size_t f = 0; f < model.size(); ++f) {
          EXPECT_NEAR(problem.v[f], model[f], 1e-5);
          const bool sparse = seed % 2 == 0;  // Sparse rows do not use the rounded model.
          EXPECT_TRUE(sparse || problem.rounded[f] == static_cast<float>(problem.v[f]));
        }
      }
    }
  }
}

// Each of two threads takes the step 1 / sigma', as if its row alone had to move the margin from 0
// to 1. Both steps together would overshoot: the dual is highest at margin 1.
TEST(Replicas, LikeRowsOfTwoThreadsGoAsFarAsOneWould) {
  Problem problem({.loss = Loss::kHinge, .scale = 1}, 1);
  problem.add({1}, 1);
  problem.add({1}, 1);
  SerialTeam team(2);
  Replicas::Memory memory;
  Replicas replicas(problem.dual, row_kernels(), team, memory, problem.v, problem.rounded);
  EXPECT_EQ(replicas.visit(problem.rows, 1, always).broken, nullptr);
  EXPECT_NEAR(problem.v[0], 1, 1e-6);
  EXPECT_FLOAT_EQ(problem.rows[0].alpha, 0.5f);
  EXPECT_FLOAT_EQ(problem.rows[1].alpha, 0.5f);
}

TEST(Replicas, ManyRoundsComeToTheSameOptimumAsOneThread) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    Problem together = random_problem({.loss = Loss::kLogistic, .scale = 0.3}, seed % 2 == 0, seed);
    Problem alone = random_problem({.loss = Loss::kLogistic, .scale = 0.3}, seed % 2 == 0, seed);
    SerialTeam team(3);
    Replicas::Memory memory;
    Replicas replicas(together.dual, row_kernels(), team, memory, together.v, together.rounded);
    for (int visit = 0; visit < 200; ++visit) {
      ASSERT_EQ(replicas.visit(together.rows, 2, always).broken, nullptr);
      row_kernels().ascend(alone.dual, alone.rows,
                           {.exact = alone.v.data(), .rounded = alone.rounded.data()});
    }
    EXPECT_NEAR(together.dual_value(), alone.dual_value(), 1e-6);
  }
}

// The gain is 1 - 1 / 2 with scale 1, and 1 - 3 / 2 with scale 3.
TEST(Replicas, GoesWhereTheDualIsHigherAndStaysWhereItIsNot) {
  for (const double scale : {1.0, 3.0}) {
    Problem problem({.loss = Loss::kHinge, .scale = scale}, 2);
    problem.add({1, 0}, 1);
    problem.add({0, 1}, 1);
    SerialTeam team(2);
    Replicas::Memory memory;
    Replicas replicas(problem.dual, row_kernels(), team, memory, problem.v, problem.rounded);
    replicas.move_to(problem.rows, std::vector<float>{1, 0});
    EXPECT_EQ(problem.rows[0].alpha, scale == 1 ? 1.0f : 0.0f);
    EXPECT_EQ(problem.v, (std::vector<double>{scale == 1 ? 1.0 : 0.0, 0}));
  }
}

TEST(Replicas, AModelThatOthersMovedIsSeenOnceForgotten) {
  Problem problem({.loss = Loss::kHinge, .scale = 1}, 1);
  problem.add({1}, 1);
  problem.add({1}, 1);
  SerialTeam team(2);
  Replicas::Memory memory;
  Replicas replicas(problem.dual, row_kernels(), team, memory, problem.v, problem.rounded);
  EXPECT_DOUBLE_EQ(replicas.visit(problem.rows, 1, always).loss, 2);  // The margins are 0.
  problem.v[0] = problem.rounded[0] = 3;
  replicas.forget();
  EXPECT_DOUBLE_EQ(replicas.visit(problem.rows, 1, always).loss, 0);  // The margins are 3.
}

TEST(Replicas, StopsBetweenRounds) {
  Problem problem = random_problem({.loss = Loss::kHinge, .scale = 1}, false, 1);
  SerialTeam team(2);
  Replicas::Memory memory;
  Replicas replicas(problem.dual, row_kernels(), team, memory, problem.v, problem.rounded);
  int asked = 0;
  EXPECT_EQ(replicas.visit(problem.rows, 8, [&] { return ++asked <= 3; }).broken, nullptr);
  EXPECT_EQ(asked, 4);
  EXPECT_EQ(problem.rows.back().alpha, 0);  // This row belongs to the last round.
}

TEST(Replicas, ARowThatIsNotFiniteIsNamed) {
  Problem problem = random_problem({.loss = Loss::kHinge, .scale = 1}, false, 1);
  problem.value[50][3] = INFINITY;
  SerialTeam team(2);
  Replicas::Memory memory;
  Replicas replicas(problem.dual, row_kernels(), team, memory, problem.v, problem.rounded);
  EXPECT_EQ(replicas.visit(problem.rows, 3, always).broken, &problem.rows[50]);
}

}  // namespace glm_replicas_test
}  // namespace surety::learn
