#include "learn/linear/kernels/glm_kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "base/names.h"
#include "base/random.h"
#include "learn/linear/solver/glm_penalty.h"

namespace surety::learn {
namespace glm_kernels_test {

constexpr Loss kLosses[] = {Loss::kLogistic, Loss::kHinge, Loss::kSquaredHinge, Loss::kSquared};

// A row that owns its values. A sparse row has about every third feature.
struct OwnedRow {
  std::vector<std::uint32_t> feature;
  std::vector<float> value;

  [[nodiscard]] RowView view() const {
    return {.feature = feature.empty() ? nullptr : feature.data(),
            .value = value.data(),
            .count = static_cast<std::uint32_t>(value.size())};
  }
};

OwnedRow random_row(std::uint32_t count, bool sparse, Random& random) {
  OwnedRow row;
  std::uint32_t feature = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    row.value.push_back(static_cast<float>(random.normal()));
    if (sparse) row.feature.push_back(feature += 1 + static_cast<std::uint32_t>(random.below(5)));
  }
  return row;
}

std::vector<double> random_model(std::size_t size, Random& random) {
  std::vector<double> model(size);
  for (double& weight : model) weight = random.normal();
  return model;
}

constexpr Names<Simd, 3> kSimdNames = {
    {{Simd::kPortable, "portable"}, {Simd::kAvx2, "avx2"}, {Simd::kAvx512, "avx512"}}};
std::string_view name_of(Simd simd) { return name_in(kSimdNames, simd); }

// All variants that this processor can run.
std::vector<Simd> usable_simd() {
  std::vector<Simd> usable;
  for (const Simd simd : {Simd::kPortable, Simd::kAvx2, Simd::kAvx512}) {
    if (simd <= best_simd()) usable.push_back(simd);
  }
  return usable;
}

TEST(RowKernels, KnownProducts) {
  const float values[] = {2, -1};
  const std::uint32_t features[] = {0, 3};
  const double w[] = {1, 2, 3, 4};
  for (const Simd simd : usable_simd()) {
    const RowKernels& kernels = row_kernels(simd);
    const auto sparse = kernels.products({.feature = features, .value = values, .count = 2}, w);
    EXPECT_EQ(sparse.dot, -2) << name_of(simd);  // 2 * 1 - 1 * 4
    EXPECT_EQ(sparse.square, 5);
    const auto dense = kernels.products({.feature = nullptr, .value = values, .count = 2}, w);
    EXPECT_EQ(dense.dot, 0);  // 2 * 1 - 1 * 2
    const auto empty = kernels.products({.feature = features, .value = values, .count = 0}, w);
    EXPECT_EQ(empty.dot, 0);
    EXPECT_EQ(empty.square, 0);
  }
}

TEST(RowKernels, VariantsAgreeAtEveryLength) {
  // Sizes with all remainders of the widest loops, and some larger ones.
  for (std::uint32_t count = 0; count < 70; ++count) {
    for (const bool sparse : {false, true}) {
      Random random = Random(count).fork(sparse ? "sparse" : "dense");
      const OwnedRow row = random_row(count, sparse, random);
      const std::vector<double> w = random_model(400, random);
      const auto expected = row_kernels(Simd::kPortable).products(row.view(), w.data());
      std::vector<double> moved = w;
      row_kernels(Simd::kPortable).add(row.view(), 0.37, moved.data());
      for (const Simd simd : usable_simd()) {
        const auto products = row_kernels(simd).products(row.view(), w.data());
        EXPECT_NEAR(products.dot, expected.dot, 1e-12) << name_of(simd) << " " << count;
        EXPECT_NEAR(products.square, expected.square, 1e-12);
        std::vector<double> other = w;
        row_kernels(simd).add(row.view(), 0.37, other.data());
        for (std::size_t f = 0; f < w.size(); ++f) ASSERT_NEAR(other[f], moved[f], 1e-14);
      }
    }
  }
}

// Rows, labels and dual variables of a small problem that every loss accepts.
struct Problem {
  std::vector<OwnedRow> owned;
  std::vector<DualRow> rows;
};
Problem random_problem(bool sparse, std::uint64_t seed) {
  Random random(seed);
  Problem problem;
  for (std::uint32_t i = 0; i < 40; ++i) {
    problem.owned.push_back(random_row(sparse ? 1 + i : 1 + 4 * i, sparse, random));
  }
  for (const OwnedRow& row : problem.owned) {
    problem.rows.push_back({.x = row.view(), .label = random.uniform() < 0.5 ? -1.0f : 1.0f});
  }
  return problem;
}

std::vector<double> weights_of(const DualProblem& problem, std::vector<double> v) {
  for (double& value : v) value = soft(value, problem.threshold);
  return v;
}

// -sum l*(-alpha) - |w|^2 / (2 scale)
double dual_of(const DualProblem& problem, const std::vector<DualRow>& rows,
               const std::vector<double>& v) {
  double dual = 0;
  for (const DualRow& row : rows) dual -= conjugate_at(problem.loss, row.alpha, row.label);
  const std::vector<double> w = weights_of(problem, v);
  return dual - std::inner_product(w.begin(), w.end(), w.begin(), 0.0) / (2 * problem.scale);
}

PassSums ascend(Simd simd, const DualProblem& problem, std::span<DualRow> rows,
                std::vector<double>& v) {
  std::vector<float> rounded(v.begin(), v.end());
  const PassSums sums =
      row_kernels(simd).ascend(problem, rows, {.exact = v.data(), .rounded = rounded.data()});
  const bool dense = rows[0].x.feature == nullptr && problem.threshold == 0;
  for (std::size_t f = 0; dense && f < v.size(); ++f) {
    EXPECT_EQ(rounded[f], static_cast<float>(v[f]));
  }
  return sums;
}

void expect_steps_of_best_dual(bool sparse, double threshold = 0) {
  for (const Loss loss : kLosses) {
    for (const Simd simd : usable_simd()) {
      Problem problem = random_problem(sparse, 3);
      const DualProblem dual{.loss = loss, .scale = 0.5, .threshold = threshold};
      std::vector<double> v(300, 0.0);
      std::vector<double> expected_v = v;
      std::vector<float> expected;
      for (const DualRow& row : problem.rows) {
        const auto at =
            row_kernels(Simd::kPortable).products(row.x, weights_of(dual, expected_v).data());
        expected.push_back(static_cast<float>(
            best_dual(loss, row.alpha, row.label, at.dot, dual.scale * at.square)));
        row_kernels(Simd::kPortable)
            .add(row.x, dual.scale * (double{expected.back()} - row.alpha), expected_v.data());
      }
      ASSERT_EQ(ascend(simd, dual, problem.rows, v).broken, nullptr);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_NEAR(problem.rows[i].alpha, expected[i], 2e-6) << name_of(simd);
      }
      for (std::size_t f = 0; f < v.size(); ++f) EXPECT_NEAR(v[f], expected_v[f], 1e-5);
    }
  }
}

TEST(RowKernels, AscendOverSparseRowsTakesTheStepsOfBestDual) { expect_steps_of_best_dual(true); }

TEST(RowKernels, AscendOverDenseRowsTakesTheStepsOfBestDual) { expect_steps_of_best_dual(false); }

TEST(RowKernels, WithAThresholdStepsAreThoseAtTheWeightsBeyondIt) {
  for (const bool sparse : {false, true}) expect_steps_of_best_dual(sparse, 0.3);
}

TEST(RowKernels, DenseRowsVisitedTogetherStepAsOneByOne) {
  for (const Loss loss : kLosses) {
    for (const Simd simd : usable_simd()) {
      for (std::uint32_t count = 1; count < 70; ++count) {
        Random random(count);
        std::vector<OwnedRow> owned;
        std::vector<DualRow> rows;
        for (int i = 0; i < 11; ++i) owned.push_back(random_row(count, false, random));
        for (const OwnedRow& row : owned) {
          rows.push_back({.x = row.view(), .label = random.uniform() < 0.5 ? -1.0f : 1.0f});
        }
        std::vector<DualRow> alone = rows;
        const DualProblem dual{.loss = loss, .scale = 0.1};
        std::vector<double> v(count, 0.0);
        std::vector<double> v_alone = v;
        PassSums sums_alone;
        for (DualRow& row : alone) {
          const PassSums sums = ascend(simd, dual, {&row, 1}, v_alone);
          sums_alone.loss += sums.loss;
          sums_alone.gap += sums.gap;
        }
        const PassSums sums = ascend(simd, dual, rows, v);
        EXPECT_NEAR(sums.loss, sums_alone.loss, 1e-4) << name_of(simd) << " " << count;
        EXPECT_NEAR(sums.gap, sums_alone.gap, 1e-4);
        for (std::size_t i = 0; i < rows.size(); ++i) {
          EXPECT_NEAR(rows[i].alpha, alone[i].alpha, 5e-6) << name_of(simd) << " " << count;
        }
        for (std::size_t f = 0; f < v.size(); ++f) EXPECT_NEAR(v[f], v_alone[f], 1e-5);
      }
    }
  }
}

TEST(RowKernels, ProductsThatAFloatCannotHoldAreTakenInDouble) {
  // With the squared loss, alpha = y / (1 + scale x.x), and x.x is 1e50 or 1e-50.
  for (const double size : {1e25, 1e-25}) {
    for (const Simd simd : usable_simd()) {
      const float value[] = {static_cast<float>(size)};
      std::vector<DualRow> rows{
          {.x = {.feature = nullptr, .value = value, .count = 1}, .label = 1}};
      std::vector<double> v(1, 0.0);
      const DualProblem dual{.loss = Loss::kSquared, .scale = 1 / (size * size)};
      EXPECT_EQ(ascend(simd, dual, rows, v).broken, nullptr) << name_of(simd);
      EXPECT_NEAR(rows[0].alpha, 0.5, 1e-6) << name_of(simd) << " " << size;
    }
  }
}

TEST(RowKernels, DualNeverFallsAndTheModelIsTheSumOfItsDuals) {
  for (const Loss loss : kLosses) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      for (const Simd simd : usable_simd()) {
        Problem problem = random_problem(seed % 2 == 0, seed);
        const DualProblem dual{.loss = loss, .scale = 0.1, .threshold = seed % 3 == 0 ? 0.05 : 0};
        std::vector<double> v(300, 0.0);
        double before = dual_of(dual, problem.rows, v);
        for (int pass = 0; pass < 5; ++pass) {
          (void)ascend(simd, dual, problem.rows, v);
          const double after = dual_of(dual, problem.rows, v);
          EXPECT_GE(after, before - 1e-6 * std::abs(before)) << name_of(simd) << " seed " << seed;
          before = after;
        }
        std::vector<double> sum(300, 0.0);
        for (const DualRow& row : problem.rows) {
          row_kernels(Simd::kPortable).add(row.x, dual.scale * row.alpha, sum.data());
        }
        for (std::size_t f = 0; f < v.size(); ++f) ASSERT_NEAR(v[f], sum[f], 1e-11);
      }
    }
  }
}

TEST(RowKernels, GapOfAPassIsWhatItsRowsAddBeforeTheirSteps) {
  // All dual variables and all margins are zero, so the gap of the hinge is its loss, 1.
  Problem problem = random_problem(false, 1);
  problem.rows.resize(1);
  std::vector<double> v(300, 0.0);
  for (const Simd simd : usable_simd()) {
    std::vector<DualRow> rows = problem.rows;
    std::fill(v.begin(), v.end(), 0.0);
    const DualProblem dual{.loss = Loss::kHinge, .scale = 0.1};
    const PassSums first = ascend(simd, dual, rows, v);
    EXPECT_EQ(first.gap, 1);
    EXPECT_EQ(first.loss, 1);
    EXPECT_EQ(rows[0].slack, 0);
    // With a single row, one step reaches the optimum.
    EXPECT_NEAR(ascend(simd, dual, rows, v).gap, 0, 1e-6);
  }
}

TEST(RowKernels, SlackIsHowFarARowAtItsBoundIsFromMoving) {
  const float value[] = {1};
  for (const Simd simd : usable_simd()) {
    std::vector<DualRow> rows{
        {.x = {.feature = nullptr, .value = value, .count = 1}, .label = 1, .alpha = 0}};
    std::vector<double> v{2};  // The margin is 2: there is no loss, and no step improves the dual.
    (void)ascend(simd, {.loss = Loss::kHinge, .scale = 1}, rows, v);
    EXPECT_EQ(rows[0].slack, 1);
    EXPECT_EQ(v[0], 2);
  }
}

TEST(RowKernels, AmongDenseRowsTheFirstThatIsNotFiniteEndsThePass) {
  const float good[] = {1};
  const float bad[] = {std::numeric_limits<float>::infinity()};
  for (std::size_t at = 0; at < 8; ++at) {
    for (const Simd simd : usable_simd()) {
      std::vector<DualRow> rows(8,
                                {.x = {.feature = nullptr, .value = good, .count = 1}, .label = 1});
      rows[at].x.value = bad;
      std::vector<double> v{0};
      const auto sums = ascend(simd, {.loss = Loss::kSquared, .scale = 1}, rows, v);
      EXPECT_EQ(sums.broken, &rows[at]) << name_of(simd);
      for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(rows[i].alpha != 0, i < at) << name_of(simd);
    }
  }
}

TEST(RowKernels, RowsThatAreNotFiniteAreReportedAndLeftAlone) {
  const float inf = std::numeric_limits<float>::infinity();
  for (const float bad : {inf, -inf, std::nanf("")}) {
    for (const Simd simd : usable_simd()) {
      const float good[] = {1};
      const float broken[] = {bad};
      std::vector<DualRow> rows{
          {.x = {.feature = nullptr, .value = good, .count = 1}, .label = 1},
          {.x = {.feature = nullptr, .value = broken, .count = 1}, .label = 1}};
      std::vector<double> v{0};
      const auto sums = ascend(simd, {.loss = Loss::kHinge, .scale = 1}, rows, v);
      EXPECT_EQ(sums.broken, &rows[1]) << name_of(simd);
      EXPECT_EQ(v[0], 1);
    }
  }
}

}  // namespace glm_kernels_test
}  // namespace surety::learn
