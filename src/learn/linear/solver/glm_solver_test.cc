#include "learn/linear/solver/glm_solver.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random.h"
#include "learn/linear/solver/glm_penalty.h"

namespace surety::learn {
namespace glm_solver_test {

constexpr Loss kLosses[] = {Loss::kLogistic, Loss::kHinge, Loss::kSquaredHinge, Loss::kSquared};

// A table of `features` values in each row; sparse rows have a third of the features.
struct Table {
  std::vector<std::vector<std::uint32_t>> feature;
  std::vector<std::vector<float>> value;
  std::vector<float> label;
  std::vector<float> alpha;
  std::uint32_t features;

  [[nodiscard]] std::vector<DualRow> visits() {
    std::vector<DualRow> rows;
    for (std::size_t i = 0; i < label.size(); ++i) {
      rows.push_back({.x = {.feature = feature[i].empty() ? nullptr : feature[i].data(),
                            .value = value[i].data(),
                            .count = static_cast<std::uint32_t>(value[i].size())},
                      .label = label[i],
                      .alpha = alpha[i],
                      .home = &alpha[i]});
    }
    return rows;
  }
};

Table random_table(std::size_t count, std::uint32_t features, bool sparse, std::uint64_t seed) {
  Random random(seed);
  Table rows;
  rows.features = features;
  rows.alpha.assign(count, 0.0f);
  for (std::size_t i = 0; i < count; ++i) {
    rows.feature.emplace_back();
    rows.value.emplace_back();
    double margin = 0;
    for (std::uint32_t f = 0; f < features; ++f) {
      if (sparse && f > 0 && random.uniform() > 0.3) continue;
      if (sparse) rows.feature[i].push_back(f);
      rows.value[i].push_back(static_cast<float>(random.normal()));
      margin += rows.value[i].back() * (f % 2 == 0 ? 1 : -0.5);
    }
    rows.label.push_back((margin > 0) == (random.uniform() < 0.9) ? 1.0f : -1.0f);
  }
  return rows;
}

struct Solved {
  std::vector<double> v;
  std::vector<float> alpha;
  double dual = 0;  // -sum l*(-alpha) - |v|^2 / (2 scale)
  double gap = 0;   // Duality gap times n.
  std::uint64_t visits = 0;
};

Solved measure(const DualProblem& problem, const Table& rows, std::vector<double> v) {
  Solved solved{.v = std::move(v), .alpha = rows.alpha};
  double square = 0;
  for (const double value : solved.v) {
    const double weight = soft(value, problem.threshold);
    square += weight * weight;
  }
  solved.dual = -square / (2 * problem.scale);
  double primal = square / (2 * problem.scale);
  for (std::size_t i = 0; i < rows.label.size(); ++i) {
    double z = 0;
    for (std::size_t k = 0; k < rows.value[i].size(); ++k) {
      const double sum = solved.v[rows.feature[i].empty() ? k : rows.feature[i][k]];
      z += soft(sum, problem.threshold) * rows.value[i][k];
    }
    primal += loss_at(problem.loss, z, rows.label[i]);
    solved.dual -= conjugate_at(problem.loss, rows.alpha[i], rows.label[i]);
  }
  solved.gap = primal - solved.dual;
  return solved;
}

// Runs `iterations` times visit() of all rows and then finish().
Solved solve(const DualProblem& problem, Table& rows, int iterations,
             LocalSolver::Options options) {
  std::vector<double> v(rows.features, 0.0);
  LocalSolver::Memory memory;
  const std::atomic<bool> never{false};
  options.problem = problem;
  std::uint64_t visits_of_all = 0;
  for (int i = 0; i < iterations; ++i) {
    options.seed = static_cast<std::uint64_t>(i);
    LocalSolver solver(options, v, memory, never);
    std::vector<DualRow> visits = rows.visits();
    EXPECT_TRUE(solver.visit(visits, [](const DualRow&) { return std::size_t{0}; }));
    EXPECT_TRUE(solver.finish());
    EXPECT_EQ(solver.visited(), rows.label.size());
    visits_of_all += solver.visited() + solver.revisited();
  }
  Solved solved = measure(problem, rows, v);
  solved.visits = visits_of_all;
  return solved;
}

// Plain dual coordinate ascent in double, until convergence.
double exact_dual(const DualProblem& problem, const Table& rows) {
  std::vector<double> v(rows.features, 0.0);
  std::vector<double> alpha(rows.label.size(), 0.0);
  for (int pass = 0; pass < 3000; ++pass) {
    for (std::size_t i = 0; i < alpha.size(); ++i) {
      double z = 0;
      double square = 0;
      const auto feature = [&](std::size_t k) {
        return rows.feature[i].empty() ? k : rows.feature[i][k];
      };
      for (std::size_t k = 0; k < rows.value[i].size(); ++k) {
        z += v[feature(k)] * rows.value[i][k];
        square += double{rows.value[i][k]} * rows.value[i][k];
      }
      const double to = best_dual(problem.loss, alpha[i], rows.label[i], z, problem.scale * square);
      for (std::size_t k = 0; k < rows.value[i].size(); ++k) {
        v[feature(k)] += problem.scale * (to - alpha[i]) * rows.value[i][k];
      }
      alpha[i] = to;
    }
  }
  double dual = 0;
  for (const double weight : v) dual -= weight * weight / (2 * problem.scale);
  for (std::size_t i = 0; i < alpha.size(); ++i) {
    dual -= conjugate_at(problem.loss, alpha[i], rows.label[i]);
  }
  return dual;
}

TEST(LocalSolver, ReachesTheOptimumOfPlainAscentInDouble) {
  for (const Loss loss : kLosses) {
    for (const bool sparse : {false, true}) {
      const DualProblem problem{.loss = loss, .scale = 0.2};
      Table rows = random_table(60, 8, sparse, 11);
      const double exact = exact_dual(problem, rows);
      const Solved solved = solve(problem, rows, 60, {});
      EXPECT_NEAR(solved.dual, exact, 1e-5 * std::abs(exact)) << static_cast<int>(loss) << sparse;
      EXPECT_LE(solved.gap, 1e-4 * std::abs(exact)) << static_cast<int>(loss) << sparse;
      EXPECT_GE(solved.gap, -1e-9);
    }
  }
}

TEST(LocalSolver, RevisitsSaveIterations) {
  const DualProblem problem{.loss = Loss::kHinge, .scale = 1};
  Table alone = random_table(300, 10, false, 5);
  Table plain = alone;
  const double finished = solve(problem, alone, 10, {.revisits = 2}).gap;
  EXPECT_LT(finished, solve(problem, plain, 10, {.revisits = 0}).gap / 2);
}

TEST(LocalSolver, DualNeverFallsAndTheModelIsTheSumOfItsDuals) {
  for (const Loss loss : kLosses) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      const DualProblem problem{.loss = loss, .scale = 0.5, .threshold = seed % 3 == 0 ? 0.2 : 0};
      double before = -1e300;
      for (int iterations = 1; iterations <= 6; ++iterations) {
        Table rows = random_table(80, 6, seed % 2 == 0, seed);
        const Solved solved = solve(problem, rows, iterations, {});
        EXPECT_GE(solved.dual, before - 1e-6 * std::abs(before)) << "seed " << seed;
        before = solved.dual;
        std::vector<double> sum(rows.features, 0.0);
        for (const DualRow& row : rows.visits()) {
          row_kernels().add(row.x, problem.scale * row.alpha, sum.data());
        }
        for (std::size_t f = 0; f < sum.size(); ++f) ASSERT_NEAR(solved.v[f], sum[f], 1e-10);
      }
    }
  }
}

TEST(LocalSolver, TheDenseRowNearestToMovingIsRevisitedWithTheOneThatMoves) {
  // The margins are 0, 1.5 and 9: the first row moves, the others rest, and one of them joins the
  // working set. The rows have no feature in common, so after one revisit no row can move.
  const auto revisited = [](bool sparse, double near_share) {
    Table table{.feature = {{}, {}, {}},
                .value = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                .label = {1, 1, 1},
                .alpha = {0, 0, 0},
                .features = 3};
    if (sparse) table.feature.assign(3, {0, 1, 2});
    std::vector<double> v{0, 1.5, 9};
    LocalSolver::Memory memory;
    const std::atomic<bool> never{false};
    LocalSolver solver({.problem = {.loss = Loss::kHinge, .scale = 1}, .near_share = near_share}, v,
                       memory, never);
    std::vector<DualRow> visits = table.visits();
    EXPECT_TRUE(solver.visit(visits, [](const DualRow&) { return std::size_t{0}; }));
    EXPECT_TRUE(solver.finish());
    return solver.revisited();
  };
  EXPECT_EQ(revisited(false, 0), 1u);
  EXPECT_EQ(revisited(false, 0.4), 2u);
  EXPECT_EQ(revisited(false, 2), 3u);
  EXPECT_EQ(revisited(true, 0.4), 1u);
}

// The rows differ only by a little noise, so ascent is very slow on them.
Table table_of_like_rows(std::size_t count, std::uint32_t features, std::uint64_t seed) {
  Table table = random_table(count, features, false, seed);
  for (std::size_t i = 1; i < count; ++i) {
    for (std::size_t f = 0; f < features; ++f) {
      table.value[i][f] = table.value[0][f] + 0.1f * table.value[i][f];
    }
  }
  return table;
}

TEST(LocalSolver, ExtrapolationFinishesWhatPlainPassesCrawlOn) {
  const DualProblem problem{.loss = Loss::kSquared, .scale = 10};
  const auto visits_to = [&](double gap, double revisits) {
    for (int iterations = 1;; ++iterations) {
      Table table = table_of_like_rows(12, 12, 4);
      const Solved solved = solve(problem, table, iterations, {.revisits = revisits});
      if (solved.gap < gap || iterations == 200) return solved.visits;
    }
  };
  // Five revisits are too few for an extrapolation.
  EXPECT_LT(visits_to(1e-4, 59), visits_to(1e-4, 5) / 2);
}

TEST(LocalSolver, AGuessThatIsWorseIsNotTaken) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const DualProblem problem{
        .loss = Loss::kHinge, .scale = 3, .threshold = seed % 2 == 0 ? 0.5 : 0};
    double before = -1e300;
    for (int iterations = 1; iterations <= 8; ++iterations) {
      Table table = table_of_like_rows(20, 4, seed);
      const double after = solve(problem, table, iterations, {.revisits = 8}).dual;
      EXPECT_GE(after, before - 1e-6 * std::abs(before)) << "seed " << seed;
      before = after;
    }
  }
}

TEST(LocalSolver, TemporaryRowsAndRowsThatStayGiveTheSame) {
  const DualProblem problem{.loss = Loss::kHinge, .scale = 0.5};
  for (const bool sparse : {false, true}) {
    Table stay = random_table(120, 12, sparse, 9);
    Table gone = stay;
    const Solved expected = solve(problem, stay, 4, {.rows_are_temporary = false});
    EXPECT_EQ(solve(problem, gone, 4, {.rows_are_temporary = true}).alpha, expected.alpha);
  }
}

TEST(LocalSolver, TemporaryValuesMayBeGoneBeforeItSettles) {
  Table rows = random_table(50, 4, false, 2);
  std::vector<double> v(4, 0.0);
  LocalSolver::Memory memory;
  const std::atomic<bool> never{false};
  LocalSolver solver({.problem = {.loss = Loss::kHinge, .scale = 0.5}, .rows_are_temporary = true},
                     v, memory, never);
  std::vector<DualRow> visits = rows.visits();
  ASSERT_TRUE(solver.visit(visits, [](const DualRow&) { return std::size_t{0}; }));
  for (auto& value : rows.value) std::fill(value.begin(), value.end(), std::nanf(""));
  ASSERT_TRUE(solver.finish());
  for (const double weight : v) EXPECT_TRUE(std::isfinite(weight));
}

TEST(LocalSolver, AStopEndsVisitsAndRevisits) {
  Table rows = random_table(20, 4, false, 2);
  std::vector<double> v(4, 0.0);
  LocalSolver::Memory memory;
  std::atomic<bool> stop{false};
  LocalSolver solver({.problem = {.loss = Loss::kHinge, .scale = 5}}, v, memory, stop);
  std::vector<DualRow> visits = rows.visits();
  ASSERT_TRUE(solver.visit(visits, [](const DualRow&) { return std::size_t{0}; }));
  stop = true;
  EXPECT_FALSE(solver.visit(visits, [](const DualRow&) { return std::size_t{0}; }));
  EXPECT_FALSE(solver.finish());
}

}  // namespace glm_solver_test
}  // namespace surety::learn
