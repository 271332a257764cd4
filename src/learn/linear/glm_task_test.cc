#include "learn/linear/glm_task.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "learn/linear/glm_cluster_test.h"
#include "learn/linear/task_factory.h"

namespace surety::learn {
namespace glm_task_test {

const char* const kModels[] = {"logistic", "svm", "svm-l2", "ridge"};

// Gaussian elimination with partial pivoting: m x = b.
std::vector<double> solve(std::vector<std::vector<double>> m, std::vector<double> b) {
  const std::size_t n = b.size();
  for (std::size_t column = 0; column < n; ++column) {
    std::size_t pivot = column;
    for (std::size_t row = column; row < n; ++row) {
      if (std::abs(m[row][column]) > std::abs(m[pivot][column])) pivot = row;
    }
    std::swap(m[pivot], m[column]);
    std::swap(b[pivot], b[column]);
    for (std::size_t row = 0; row < n; ++row) {
      if (row == column) continue;
      const double factor = m[row][column] / m[column][column];
      for (std::size_t k = column; k < n; ++k) m[row][k] -= factor * m[column][k];
      b[row] -= factor * b[column];
    }
  }
  for (std::size_t i = 0; i < n; ++i) b[i] /= m[i][i];
  return b;
}

// (X'X / n + lambda I) w = X'y / n
std::vector<double> ridge_closed_form(const Problem& problem) {
  const std::size_t d = problem.options.schema.features;
  const double n = static_cast<double>(problem.options.samples);
  std::vector<std::vector<double>> m(d, std::vector<double>(d, 0.0));
  std::vector<double> b(d, 0.0);
  for (const data::Chunk& chunk : problem.chunks) {
    for (std::size_t row = 0; row < chunk.samples.size(); ++row) {
      const float* x = chunk.samples.f32.data() + row * d;
      for (std::size_t i = 0; i < d; ++i) {
        for (std::size_t j = 0; j < d; ++j) m[i][j] += double{x[i]} * x[j] / n;
        b[i] += double{x[i]} * chunk.samples.label[row] / n;
      }
    }
  }
  for (std::size_t i = 0; i < d; ++i) m[i][i] += *problem.options.lambda;
  return solve(m, b);
}

std::vector<std::uint32_t> all_of(const data::Samples& samples) {
  std::vector<std::uint32_t> selected(samples.size());
  std::iota(selected.begin(), selected.end(), 0u);
  return selected;
}

TEST(GlmTask, RidgeFindsTheSolutionOfTheNormalEquations) {
  for (const std::uint32_t workers : {1u, 4u}) {
    Problem problem = table("ridge", 60, 5);
    problem.options.lambda = 0.05;
    const std::vector<double> exact = ridge_closed_form(problem);
    GlmCluster cluster(problem.options, problem.chunks, workers);
    for (int i = 0; i < 300; ++i) cluster.iterate();
    for (std::size_t f = 0; f < exact.size(); ++f) {
      EXPECT_NEAR(cluster.model().parameters[f], exact[f], 2e-5) << workers << " workers";
    }
  }
}

TEST(GlmTask, GapIsNeverNegativeAndFallsToAMillionth) {
  for (const char* model : kModels) {
    for (const std::uint32_t workers : {1u, 4u}) {
      Problem problem = table(model, 100, 6);
      problem.options.lambda = 0.02;
      GlmCluster cluster(problem.options, problem.chunks, workers);
      for (int i = 0; i < 500 && cluster.objective().gap > 1e-6; ++i) {
        ASSERT_GE(cluster.objective().gap, 0) << model;
        cluster.iterate();
      }
      EXPECT_LE(cluster.objective().gap, 1e-6) << model << ", " << workers << " workers";
      // Equal only to the precision of floats, because the model is not an exact sum.
      for (int i = 0; i < 50; ++i) {
        cluster.iterate();
        ASSERT_GT(cluster.objective().gap, 0) << model << ", " << workers << " workers";
      }
    }
  }
}

TEST(GlmTask, DualNeverFallsUnderSafeAdding) {
  for (const char* model : kModels) {
    for (const std::uint32_t workers : {1u, 2u, 5u}) {
      Problem problem = table(model, 100, 6);
      GlmCluster cluster(problem.options, problem.chunks, workers);
      double before = cluster.objective().dual();
      for (int i = 0; i < 25; ++i) {
        cluster.iterate();
        const double after = cluster.objective().dual();
        ASSERT_GE(after, before - 1e-6) << model << ", " << workers << " workers, " << i;
        before = after;
      }
    }
  }
}

TEST(GlmTask, ModelIsTheSumOfItsDualsAfterEveryCommit) {
  for (const char* model : kModels) {
    GlmCluster cluster(table(model, 100, 6).options, table(model, 100, 6).chunks, 3);
    for (int i = 0; i < 50; ++i) {
      cluster.iterate();
      const std::vector<double> sum = cluster.model_of_duals();
      for (std::size_t f = 0; f < sum.size(); ++f) {
        ASSERT_NEAR(cluster.model().parameters[f], sum[f], 1e-5) << model << ", iteration " << i;
      }
    }
  }
}

TEST(GlmTask, DuplicatedRowsOnManyWorkersStillDoNotOvershoot) {
  // The worst case for adding: all workers hold the same sample, and each would correct its error
  // alone.
  Problem problem = table("ridge", 1, 3);
  const data::Samples samples = problem.chunks[0].samples;
  problem.options.samples = 8;
  problem.options.lambda = 0.01;
  problem.chunks.clear();
  for (std::uint32_t i = 0; i < 8; ++i) problem.chunks.push_back(chunk_of(i, samples));
  GlmCluster cluster(problem.options, problem.chunks, 8);
  double before = cluster.objective().dual();
  for (int i = 0; i < 20; ++i) {
    cluster.iterate();
    ASSERT_GE(cluster.objective().dual(), before - 1e-7);
    before = cluster.objective().dual();
  }
  EXPECT_LE(cluster.objective().gap, 1e-6);
}

TEST(GlmTask, DiscardForgetsTentativeDuals) {
  const Problem problem = table("svm", 20, 4);
  GlmCluster cluster(problem.options, problem.chunks, 1);
  cluster.iterate();
  Chunks& chunks = cluster.owned(0);
  const std::vector<float> committed = chunks.begin()->second.state;
  const std::atomic<bool> never{false};
  std::vector<float> first(4);
  std::vector<float> again(4);
  const LocalWork work = whole_chunks(chunks, 1, 1);
  ASSERT_TRUE(cluster.task(0).compute(work, cluster.model(), chunks, first, never));
  EXPECT_EQ(chunks.begin()->second.state, committed);  // Nothing is permanent yet.
  cluster.task(0).discard();
  cluster.task(0).commit(chunks);
  EXPECT_EQ(chunks.begin()->second.state, committed);
  ASSERT_TRUE(cluster.task(0).compute(work, cluster.model(), chunks, again, never));
  EXPECT_EQ(first, again);
}

TEST(GlmTask, AStoppedComputeKeepsNothing) {
  const Problem problem = table("svm", 20, 4);
  GlmCluster cluster(problem.options, problem.chunks, 1);
  Chunks& chunks = cluster.owned(0);
  const std::atomic<bool> stop{true};
  std::vector<float> update(4);
  const auto result =
      cluster.task(0).compute(whole_chunks(chunks, 0, 1), cluster.model(), chunks, update, stop);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kUnavailable);
  cluster.task(0).commit(chunks);
  EXPECT_TRUE(chunks.begin()->second.state.empty());
}

TEST(GlmTask, TwoHalvesOfAChunkAreTheWholeChunk) {
  const Problem problem = table("logistic", 10, 4);
  GlmCluster whole(problem.options, problem.chunks, 1);
  GlmCluster halves(problem.options, problem.chunks, 1);
  whole.iterate();
  LocalWork work = whole_chunks(halves.owned(0), 0, 1);
  work.items = {{ChunkId{0}, 0, 4}, {ChunkId{0}, 4, 6}};
  std::vector<float> update(4);
  const std::atomic<bool> never{false};
  const auto result = halves.task(0).compute(work, halves.model(), halves.owned(0), update, never);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->samples, 10u);
  EXPECT_EQ(update, whole.model().parameters);
}

TEST(GlmTask, SparseAndDenseRowsGiveTheSameModel) {
  Problem dense = table("svm", 30, 5);
  Problem sparse = dense;
  sparse.options.schema.layout = data::Layout::kSparse;
  for (data::Chunk& chunk : sparse.chunks) {
    data::Samples& samples = chunk.samples;
    samples.row_begin = {0};
    for (std::size_t i = 0; i < samples.f32.size(); ++i) {
      samples.index.push_back(static_cast<std::uint32_t>(i % 5));
      if (i % 5 == 4) samples.row_begin.push_back(i + 1);
    }
  }
  GlmCluster a(dense.options, dense.chunks, 2);
  GlmCluster b(sparse.options, sparse.chunks, 2);
  for (int i = 0; i < 3; ++i) {
    a.iterate();
    b.iterate();
  }
  for (std::size_t f = 0; f < 5; ++f) {  // The margins of dense rows are rounded to float.
    EXPECT_NEAR(a.model().parameters[f], b.model().parameters[f], 1e-5);
  }
}

TEST(GlmTask, ZeroAndOneAreLabelsLikeMinusAndPlusOne) {
  Problem signs = table("logistic", 30, 4);
  Problem bits = signs;
  for (data::Chunk& chunk : bits.chunks) {
    for (float& label : chunk.samples.label) label = label > 0 ? 1.0f : 0.0f;
  }
  GlmCluster a(signs.options, signs.chunks, 1);
  GlmCluster b(bits.options, bits.chunks, 1);
  a.iterate();
  b.iterate();
  EXPECT_EQ(a.model().parameters, b.model().parameters);
}

TEST(GlmTask, OtherLabelsAreRefusedByChunkAndSample) {
  Problem problem = table("logistic", 5, 4);
  problem.chunks[0].samples.label[3] = 2;
  GlmCluster cluster(problem.options, problem.chunks, 1);
  Chunks& chunks = cluster.owned(0);
  std::vector<float> update(4);
  const std::atomic<bool> never{false};
  const auto result =
      cluster.task(0).compute(whole_chunks(chunks, 0, 1), cluster.model(), chunks, update, never);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kInvalidInput);
  EXPECT_EQ(result.error().message, "chunk 0: sample 3: label 2, expected -1 and +1, or 0 and 1");
}

// Runs one iteration of one worker on a problem after `change`, and returns the message of its
// error.
template <typename Change>
std::string message_of(Problem problem, Change change) {
  change(problem.chunks[0].samples);
  GlmCluster cluster(problem.options, problem.chunks, 1);
  Chunks& chunks = cluster.owned(0);
  std::vector<float> update(problem.options.schema.features);
  const std::atomic<bool> never{false};
  const auto result =
      cluster.task(0).compute(whole_chunks(chunks, 0, 1), cluster.model(), chunks, update, never);
  if (result) return "no error";
  EXPECT_EQ(result.error().code, ErrorCode::kInvalidInput);
  return result.error().message;
}

TEST(GlmTask, ValuesThatAreNotFiniteAreRefusedByChunkAndSample) {
  for (const float bad : {std::numeric_limits<float>::infinity(), std::nanf("")}) {
    EXPECT_EQ(message_of(table("svm", 5, 4), [&](auto& samples) { samples.f32[9] = bad; }),
              "chunk 0: sample 2: values that are not finite, or too large to be squared");
  }
}

TEST(GlmTask, AFeatureBeyondTheModelIsRefusedByChunkAndSample) {
  Problem problem = table("svm", 1, 2);
  problem.options.schema.layout = data::Layout::kSparse;
  const auto second_is_feature = [](std::uint32_t feature) {
    return [feature](data::Samples& samples) {
      samples.index = {0, feature};
      samples.row_begin = {0, 2};
    };
  };
  EXPECT_EQ(message_of(problem, second_is_feature(1)), "no error");
  EXPECT_EQ(message_of(problem, second_is_feature(2)),
            "chunk 0: sample 0: feature 2, expected less than 2");
}

TEST(GlmTask, ARidgeLabelThatIsNotFiniteIsRefused) {
  EXPECT_EQ(
      message_of(table("ridge", 5, 4), [](auto& samples) { samples.label[1] = std::nanf(""); }),
      "chunk 0: sample 1: label nan, expected a finite number");
}

TEST(GlmTask, OneWorkerGoesOnWhereManyWaitForEachOther) {
  // The same iteration with `workers` = 1 and 2: the gap of the single worker is smaller.
  const auto gap_after = [](std::uint32_t workers) {
    Problem problem = table("svm", 200, 6);
    GlmCluster cluster(problem.options, problem.chunks, workers);
    for (int i = 0; i < 3; ++i) cluster.iterate();
    return cluster.objective().gap;
  };
  EXPECT_LT(gap_after(1), gap_after(2) / 2);
}

TEST(GlmTask, BytesLearnLikeTheirFractions) {
  // Values 0..255, compared with the floats that they stand for.
  Problem floats = table("svm", 40, 5);
  Problem bytes = floats;
  bytes.options.schema.layout = data::Layout::kDenseU8;
  for (std::size_t c = 0; c < floats.chunks.size(); ++c) {
    data::Samples& exact = floats.chunks[c].samples;
    data::Samples& rounded = bytes.chunks[c].samples;
    rounded.f32.clear();
    for (float& value : exact.f32) {
      const auto byte = static_cast<std::uint8_t>(std::lround(127.5f * (1 + value)));
      rounded.u8.push_back(byte);
      value = byte * (1.0f / 255);
    }
  }
  GlmCluster a(floats.options, floats.chunks, 1);
  GlmCluster b(bytes.options, bytes.chunks, 1);
  for (int i = 0; i < 3; ++i) {
    a.iterate();
    b.iterate();
  }
  EXPECT_EQ(a.model().parameters, b.model().parameters);
}

TEST(GlmTask, GapEstimateOfTheFirstVisitsBoundsTheGapAfterwards) {
  // For every loss, the first visits start from the gap of the zero model and end with a smaller
  // gap.
  for (const char* model : kModels) {
    Problem problem = table(model, 100, 6);
    GlmCluster cluster(problem.options, problem.chunks, 1);
    const double start = cluster.objective().gap;
    Chunks& chunks = cluster.owned(0);
    std::vector<float> update(6);
    const std::atomic<bool> never{false};
    const auto result =
        cluster.task(0).compute(whole_chunks(chunks, 0, 1), cluster.model(), chunks, update, never);
    ASSERT_TRUE(result);
    EXPECT_LT(result->gap_sum / 100, start) << model;
    EXPECT_GT(result->gap_sum, 0) << model;
  }
}

TEST(GlmTask, EvaluationCountsLossAndCorrectAnswersOfTheSelected) {
  data::Samples samples;
  samples.label = {1, -1, 1};
  samples.f32 = {2, 2, 0.5f};
  TaskOptions options{
      .model = "svm", .schema = {.layout = data::Layout::kDenseF32, .features = 1}, .samples = 3};
  const auto task = make_glm_task(options).value();
  Model model;
  model.parameters = {1};
  // Margins 2, 2 and 0.5 with labels +, - and +: the hinge losses are 0, 3 and 0.5.
  const auto all = task->evaluate(samples, all_of(samples), model).value();
  EXPECT_EQ(all.samples, 3u);
  EXPECT_EQ(all.loss_sum, 3.5);
  EXPECT_EQ(all.loss_square_sum, 9.25);
  EXPECT_EQ(all.correct, 2u);
  const std::vector<std::uint32_t> last{2};
  EXPECT_EQ(task->evaluate(samples, last, model).value().loss_sum, 0.5);
}

// A model that is not the sum of the dual variables, for example because a worker had other data.
TEST(GlmTask, WithSumsFromTheSamplesTheGapOfAnyModelIsItsDistanceFromTheDual) {
  for (const char* model : kModels) {
    Problem problem = table(model, 100, 6);
    problem.options.lambda = 0.02;
    GlmCluster cluster(problem.options, problem.chunks, 1);
    for (int i = 0; i < 5; ++i) cluster.iterate();
    const double dual = cluster.objective().dual();
    Model other = cluster.model();
    for (float& parameter : other.parameters) parameter += 0.5f;
    const auto gap = [&](const std::vector<double>& of) {
      const auto terms = cluster.task(0).duality_terms(other, of, cluster.owned(0)).value();
      const double primal = (terms.loss_sum + terms.penalty) / 100;
      return std::pair((terms.gap_sum + terms.penalty_gap) / 100, primal - dual);
    };
    const auto [found, expected] = gap(cluster.model_of_duals());
    EXPECT_NEAR(found, expected, 1e-5 * expected) << model;
    const auto [too_small, same] = gap({other.parameters.begin(), other.parameters.end()});
    EXPECT_LT(too_small, 0.99 * same) << model;
  }
}

TEST(GlmTask, DualsThatNoStepCanLeaveBehindAreCorrupt) {
  Problem problem = table("svm", 10, 4);
  problem.chunks[0].state.assign(10, 3.0f);
  GlmCluster cluster(problem.options, problem.chunks, 1);
  const std::vector<double> sums(cluster.model().parameters.size(), 0.0);
  const auto terms = cluster.task(0).duality_terms(cluster.model(), sums, cluster.owned(0));
  ASSERT_FALSE(terms);
  EXPECT_EQ(terms.error().code, ErrorCode::kCorrupt);
  cluster.owned(0).begin()->second.state.resize(7);
  EXPECT_FALSE(cluster.task(0).duality_terms(cluster.model(), sums, cluster.owned(0)));
}

TEST(GlmTask, BadOptionsAreRefused) {
  const TaskOptions good = table("svm", 10, 4).options;
  const auto refused = [&](auto change) {
    TaskOptions options = good;
    change(options);
    return !make_glm_task(options);
  };
  EXPECT_TRUE(make_glm_task(good));
  EXPECT_TRUE(refused([](TaskOptions& o) { o.model = "lenet5"; }));
  EXPECT_TRUE(refused([](TaskOptions& o) { o.samples = 0; }));
  EXPECT_TRUE(refused([](TaskOptions& o) { o.schema.features = 0; }));
  EXPECT_TRUE(refused([](TaskOptions& o) { o.schema.classes = 3; }));
  EXPECT_TRUE(refused([](TaskOptions& o) { o.lambda = -1; }));
  EXPECT_TRUE(refused([](TaskOptions& o) { o.lambda = 0; }));
  EXPECT_TRUE(refused([](TaskOptions& o) { o.lambda = std::numeric_limits<double>::infinity(); }));
}

TEST(GlmTask, OnlyTheFullVersionExists) {
  const auto task = glm_only()(table("svm", 10, 4).options).value();
  EXPECT_TRUE(task->switch_version(task->initial_model(), "full"));
  EXPECT_FALSE(task->switch_version(task->initial_model(), "prune:0.5"));
}

}  // namespace glm_task_test
}  // namespace surety::learn
