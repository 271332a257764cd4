// Linear models with an L1 norm: whole clusters compared with slow solvers of the primal problem
// that share no code with them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "learn/linear/glm_cluster_test.h"
#include "learn/linear/kernels/glm_loss.h"
#include "learn/linear/solver/glm_penalty.h"

namespace surety::learn {
namespace glm_l1_test {

// ---- the primal problem, solved slowly in double ------------------------------------------------

struct Primal {
  Loss loss;
  std::vector<std::vector<double>> x;
  std::vector<double> y;
  double l1;  // Weight in the objective, not times n.
  double l2;  // Weight in the objective, not times n.

  explicit Primal(const Problem& problem, Loss of) : loss(of) {
    const std::size_t d = problem.options.schema.features;
    for (const data::Chunk& chunk : problem.chunks) {
      for (std::size_t row = 0; row < chunk.samples.size(); ++row) {
        const auto first = chunk.samples.f32.begin() + static_cast<std::ptrdiff_t>(row * d);
        x.emplace_back(first, first + static_cast<std::ptrdiff_t>(d));
        y.push_back(chunk.samples.label[row]);
      }
    }
    l1 = *problem.options.lambda * problem.options.l1_ratio;
    l2 = *problem.options.lambda * (1 - problem.options.l1_ratio);
  }

  [[nodiscard]] double slope_at(double z, double label) const {
    if (loss == Loss::kSquared) return z - label;
    if (loss == Loss::kSquaredHinge) return -2 * label * std::max(0.0, 1 - label * z);
    return -label / (1 + std::exp(label * z));
  }
  // Gradient of the losses alone.
  [[nodiscard]] std::vector<double> gradient(const std::vector<double>& w) const {
    std::vector<double> sum(w.size(), 0.0);
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double z = std::inner_product(w.begin(), w.end(), x[i].begin(), 0.0);
      const double slope = slope_at(z, y[i]) / static_cast<double>(y.size());
      for (std::size_t f = 0; f < w.size(); ++f) sum[f] += slope * x[i][f];
    }
    return sum;
  }
  [[nodiscard]] double objective(const std::vector<double>& w) const {
    double sum = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      sum += loss_at(loss, std::inner_product(w.begin(), w.end(), x[i].begin(), 0.0), y[i]);
    }
    sum /= static_cast<double>(y.size());
    for (const double weight : w) sum += l1 * std::abs(weight) + l2 / 2 * weight * weight;
    return sum;
  }
  // Proximal gradient descent. Rows have unit length, and no loss here has a curvature above 2.
  [[nodiscard]] std::vector<double> solve() const {
    const double step = 1 / (2 + l2);
    std::vector<double> w(x[0].size(), 0.0);
    for (int i = 0; i < 20000; ++i) {
      const std::vector<double> slope = gradient(w);
      double moved = 0;
      for (std::size_t f = 0; f < w.size(); ++f) {
        const double to = w[f] - step * (slope[f] + l2 * w[f]);
        const double next = to > step * l1 ? to - step * l1 : to < -step * l1 ? to + step * l1 : 0;
        moved = std::max(moved, std::abs(next - w[f]));
        w[f] = next;
      }
      if (moved < 1e-14) break;
    }
    return w;
  }
};

Problem with_l1(const std::string& model, std::optional<double> lambda, double l1_ratio,
                std::uint32_t rows = 60) {
  Problem problem = table(model, rows, 8, 5);
  problem.options.lambda = lambda;
  problem.options.l1_ratio = l1_ratio;
  return problem;
}

TEST(L1, WeightsAreThoseOfASlowSolverOfThePrimal) {
  const std::pair<const char*, Loss> models[] = {{"elastic-net", Loss::kSquared},
                                                 {"logistic", Loss::kLogistic},
                                                 {"svm-l2", Loss::kSquaredHinge}};
  for (const auto& [model, loss] : models) {
    for (const double l1_ratio : {0.2, 0.9, 1.0}) {
      for (const std::uint32_t workers : {1u, 4u}) {
        const Problem problem = with_l1(model, 0.05, l1_ratio);
        const Primal primal(problem, loss);
        const std::vector<double> exact = primal.solve();
        GlmCluster cluster(problem.options, problem.chunks, workers);
        EXPECT_LE(cluster.iterations_to(5e-7, 400), 400) << model << l1_ratio << workers;
        EXPECT_NEAR(cluster.objective().primal, primal.objective(exact), 6e-7) << model << l1_ratio;
        for (std::size_t f = 0; f < exact.size(); ++f) {
          EXPECT_NEAR(cluster.weights()[f], exact[f], 3e-3) << model << l1_ratio << workers;
          EXPECT_EQ(cluster.weights()[f] == 0, exact[f] == 0) << model << l1_ratio << workers;
        }
      }
    }
  }
}

TEST(L1, AtTheEndTheConditionsOfTheOptimumHold) {
  // If a weight is not 0: slope + l2 w = -l1 sign(w). If it is 0: |slope| <= l1.
  for (const double l1_ratio : {0.5, 1.0}) {
    const Problem problem = with_l1("elastic-net", 0.05, l1_ratio);
    GlmCluster cluster(problem.options, problem.chunks, 2);
    for (int i = 0; i < 300; ++i) cluster.iterate();
    const std::vector<float> weights = cluster.weights();
    const Primal primal(problem, Loss::kSquared);
    const auto slope = primal.gradient({weights.begin(), weights.end()});
    int zeros = 0;
    for (std::size_t f = 0; f < weights.size(); ++f) {
      const double w = weights[f];
      zeros += w == 0;
      if (w == 0) {
        EXPECT_LE(std::abs(slope[f]), primal.l1 + 1e-5);
      } else {
        EXPECT_NEAR(slope[f] + primal.l2 * w, w > 0 ? -primal.l1 : primal.l1, 1e-5);
      }
    }
    EXPECT_GT(zeros, 0);
    EXPECT_LT(zeros, 8);
  }
}

TEST(L1, FeaturesOfTheirOwnRowsHaveAClosedForm) {
  // Row i has only feature i, so w_i = soft(y_i / n, l1) / (1 / n + l2), with labels 3, -2, 0.3 and
  // n = 3.
  for (const double l1_ratio : {0.5, 1.0}) {
    data::Samples samples;
    samples.f32 = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    samples.label = {3, -2, 0.3F};
    const TaskOptions options{.model = "elastic-net",
                              .schema = {.layout = data::Layout::kDenseF32, .features = 3},
                              .samples = 3,
                              .lambda = 0.4,
                              .l1_ratio = l1_ratio};
    GlmCluster cluster(options, {chunk_of(0, samples)}, 1);
    for (int i = 0; i < 100; ++i) cluster.iterate();
    const double l1 = 0.4 * l1_ratio;
    const double curvature = 1.0 / 3 + 0.4 * (1 - l1_ratio);
    EXPECT_NEAR(cluster.weights()[0], (1 - l1) / curvature, 1e-6);
    EXPECT_NEAR(cluster.weights()[1], (l1 - 2.0 / 3) / curvature, 1e-6);
    EXPECT_EQ(cluster.weights()[2], 0);
  }
}

TEST(L1, FromTheLargestCorrelationOnAllWeightsAreZero) {
  const Problem problem = with_l1("lasso", 1, 1);
  const auto slope = Primal(problem, Loss::kSquared).gradient(std::vector<double>(8, 0.0));
  double largest = 0;
  for (const double value : slope) largest = std::max(largest, std::abs(value));
  const auto zeros_at = [&](double lambda) {
    Problem at = problem;
    at.options.lambda = lambda;
    GlmCluster cluster(at.options, at.chunks, 1);
    for (int i = 0; i < 30; ++i) cluster.iterate();
    const std::vector<float> weights = cluster.weights();
    return std::count(weights.begin(), weights.end(), 0.0F);
  };
  EXPECT_EQ(zeros_at(1.01 * largest), 8);
  EXPECT_EQ(zeros_at(0.97 * largest), 7);
}

TEST(L1, GapIsNeverNegativeAndFallsForEveryLoss) {
  for (const char* model : {"logistic", "svm", "svm-l2", "elastic-net"}) {
    for (const double l1_ratio : {0.3, 1.0}) {
      for (const std::uint32_t workers : {1u, 4u}) {
        const Problem problem = with_l1(model, 0.02, l1_ratio, 100);
        // In this case neither part of the objective is curved: it is a linear program, which
        // converges slowly.
        const double target = model == std::string("svm") && l1_ratio == 1 ? 1e-5 : 1e-6;
        GlmCluster cluster(problem.options, problem.chunks, workers);
        for (int i = 0; i < 600 && cluster.objective().gap > target; ++i) {
          ASSERT_GE(cluster.objective().gap, -1e-7) << model << l1_ratio;
          cluster.iterate();
        }
        EXPECT_LE(cluster.objective().gap, target) << model << l1_ratio << workers;
        EXPECT_GE(cluster.objective().gap, -1e-7) << model << l1_ratio << workers;
      }
    }
  }
}

TEST(L1, WithoutACentreTheDualNeverFallsUnderSafeAdding) {
  for (const std::uint32_t workers : {1u, 5u}) {
    const Problem problem = with_l1("elastic-net", 0.1, 0.7, 100);  // l2 = 3
    GlmCluster cluster(problem.options, problem.chunks, workers);
    double before = cluster.objective().dual();
    for (int i = 0; i < 25; ++i) {
      cluster.iterate();
      const double after = cluster.objective().dual();
      ASSERT_GE(after, before - 1e-6) << workers << " workers, " << i;
      before = after;
    }
  }
}

TEST(L1, SumsStayThoseOfTheDualsWhereverTheCentreMoves) {
  const Problem problem = with_l1("lasso", 0.02, 1);
  GlmCluster cluster(problem.options, problem.chunks, 3);
  for (int i = 0; i < 30; ++i) {
    cluster.iterate();
    const std::vector<double> sum = cluster.model_of_duals();
    for (std::size_t f = 0; f < sum.size(); ++f) {
      ASSERT_NEAR(cluster.model().parameters[f], sum[f], 1e-5) << "iteration " << i;
    }
  }
}

TEST(L1, ALassoThatLostDualsHasAValidGapAndFindsTheSameSolution) {
  const Problem problem = with_l1("lasso", 0.02, 1);
  GlmCluster cluster(problem.options, problem.chunks, 3);
  for (int i = 0; i < 20; ++i) cluster.iterate();
  cluster.lose_duals(1);
  EXPECT_GE(cluster.objective().gap, 0);
  EXPECT_LE(cluster.iterations_to(1e-6, 400), 400);
}

TEST(L1, BadSharesAreRefused) {
  const auto error = [](const std::string& model, std::optional<double> lambda, double l1_ratio) {
    const auto task = make_glm_task(with_l1(model, lambda, l1_ratio).options);
    return task ? std::string() : task.error().message;
  };
  EXPECT_EQ(error("elastic-net", 0.1, 0.5), "");
  EXPECT_EQ(error("elastic-net", 0.1, 1.5), "l1_ratio 1.5: expected a number from 0 to 1");
  EXPECT_EQ(error("elastic-net", 0.1, -1), "l1_ratio -1: expected a number from 0 to 1");
  EXPECT_EQ(error("elastic-net", 0.1, std::nan("")), "l1_ratio nan: expected a number from 0 to 1");
  EXPECT_EQ(error("lasso", {}, 1), "lambda: missing, expected a number above 0 with an L1 norm");
}

TEST(L1, AModelWithoutItsCentreIsRefused) {
  const Problem problem = with_l1("lasso", 0.02, 1);
  const auto task = make_glm_task(problem.options).value();
  Model model = task->initial_model();
  model.parent.clear();
  EXPECT_FALSE(task->evaluate(problem.chunks[0].samples, {}, model));
}

}  // namespace glm_l1_test
}  // namespace surety::learn
