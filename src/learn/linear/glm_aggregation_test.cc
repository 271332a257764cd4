// Accelerated aggregation compared with safe adding: it reaches the same duality gaps in fewer
// iterations.
#include <gmock/gmock.h>

#include "learn/linear/glm_cluster_test.h"
#include "learn/linear/glm_table_test.h"

namespace surety::learn {
namespace glm_aggregation_test {

using ::testing::AllOf;
using ::testing::Ge;
using ::testing::Le;

const char* const kModels[] = {"logistic", "svm", "svm-l2", "ridge"};

// A table with an L1 norm: even if the dual of each proximal step rises, that of the objective may
// fall.
Problem with_l1(const char* model, std::uint32_t rows, std::uint32_t features) {
  Problem problem = table(model, rows, features);
  problem.options.lambda = 0.01;
  problem.options.l1_ratio = 0.5;
  return problem;
}

TEST(Acceleration, NeedsNoMoreIterationsThanSafeAdding) {
  for (const char* model : kModels) {
    for (const std::uint32_t workers : {2u, 4u, 16u}) {
      Problem problem = table(model, 320, 8);
      problem.options.lambda = 0.01;
      GlmCluster safe(problem.options, problem.chunks, workers);
      GlmCluster bold(problem.options, problem.chunks, workers, true);
      const int safely = safe.iterations_to(1e-5, 300);
      const int boldly = bold.iterations_to(1e-5, 300);
      EXPECT_LE(boldly, safely) << model << ", " << workers << " workers";
    }
  }
}

// With an L1 norm the objective's dual may fall in a step, but the solution is the same.
TEST(Acceleration, FindsTheSolutionWithAnL1NormInNoMoreIterations) {
  for (const char* model : {"svm", "logistic", "elastic-net", "lasso"}) {
    for (const std::uint32_t workers : {2u, 8u}) {
      const Problem problem = with_l1(model, 160, 8);
      GlmCluster safe(problem.options, problem.chunks, workers);
      GlmCluster bold(problem.options, problem.chunks, workers, true);
      const int safely = safe.iterations_to(1e-4, 300);
      EXPECT_LE(safely, 300) << model;
      EXPECT_LE(bold.iterations_to(1e-4, 300), safely) << model << ", " << workers << " workers";
    }
  }
}

TEST(Acceleration, IsNothingToAWorkerThatIsAlone) {
  const Problem problem = table("svm", 60, 5);
  GlmCluster safe(problem.options, problem.chunks, 1);
  GlmCluster bold(problem.options, problem.chunks, 1, true);
  for (int i = 0; i < 3; ++i) safe.iterate(), bold.iterate();
  EXPECT_EQ(safe.model().parameters, bold.model().parameters);
}

// The worst case: all workers hold the same sample, and each would correct its error alone.
TEST(Acceleration, AlikeWorkersAreHeldBack) {
  Problem problem = table("svm", 1, 3);
  const data::Samples samples = problem.chunks[0].samples;
  problem.options.samples = 16;
  problem.options.lambda = 0.2;
  problem.chunks.clear();
  for (std::uint32_t i = 0; i < 16; ++i) problem.chunks.push_back(chunk_of(i, samples));
  GlmCluster cluster(problem.options, problem.chunks, 16, true);
  cluster.iterate();
  EXPECT_LT(cluster.step(), 0.5);
  cluster.iterate();
  EXPECT_LE(cluster.objective().gap, 1e-6);
}

// Two workers with three tasks each do the same as six workers: equal duals, equal model.
TEST(Tasks, OfAWorkerAreAsManyWorkers) {
  for (const bool line_search : {false, true}) {
    const Problem problem = table("svm", 120, 6);
    GlmCluster tasks(problem.options, problem.chunks, 2, line_search);
    GlmCluster workers(problem.options, problem.chunks, 6, line_search);
    // Chunks are dealt in turn: chunk c belongs to worker c % 2, and there to task c / 2 % 3.
    for (int i = 0; i < 5; ++i) tasks.iterate({}, 3), workers.iterate();
    for (std::size_t f = 0; f < 6; ++f) {
      EXPECT_NEAR(tasks.model().parameters[f], workers.model().parameters[f], 1e-4);
    }
    EXPECT_NEAR(tasks.objective().gap, workers.objective().gap, 1e-5);
  }
}

TEST(Tasks, AreNoMoreThanChunks) {
  const Problem problem = table("svm", 40, 6);
  GlmCluster cluster(problem.options, problem.chunks, 2, true);
  for (int i = 0; i < 40; ++i) cluster.iterate({}, 50);
  EXPECT_LE(cluster.objective().gap, 1e-3);
}

// Random events: chunks move, workers crash and lose their state, idle workers join, and late
// workers do only a part of their work.
class Churn {
 public:
  Churn(const char* model, std::uint64_t seed)
      : problem_(table(model, 120, 6)),
        random_(seed),
        cluster_(problem_.options, problem_.chunks, 5, true) {}

  // Makes one event happen. Returns whether state was lost.
  bool happens() {
    const std::size_t from = random_.below(5);
    const std::size_t to = random_.below(5);
    const Chunks chunks = cluster_.owned(from);
    if (from == to || chunks.empty()) return false;
    if (random_.uniform() < 0.8) {
      cluster_.move(from, to, chunks.begin()->first);
      return false;
    }
    cluster_.lose_duals(from);
    for (const auto& [id, chunk] : chunks) cluster_.move(from, to, id);
    return true;
  }
  void iterate() {
    std::map<std::size_t, int> late;
    if (random_.uniform() < 0.3) late[random_.below(5)] = 1;
    cluster_.iterate(late);
  }
  GlmCluster& cluster() { return cluster_; }

 private:
  Problem problem_;
  Random random_;
  GlmCluster cluster_;
};

TEST(Acceleration, UnderChurnTheDualFallsWithLostStateAlone) {
  for (const char* model : kModels) {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      Churn churn(model, seed);
      GlmCluster& cluster = churn.cluster();
      double before = cluster.objective().dual();
      for (int i = 0; i < 30; ++i) {
        if (churn.happens()) before = cluster.objective().dual();
        churn.iterate();
        const double dual = cluster.objective().dual();
        ASSERT_GE(dual, before - 1e-6) << model << " " << seed << " " << i;
        ASSERT_GE(cluster.objective().gap, 0) << model << " " << seed << " " << i;
        before = dual;
        const std::vector<double> sum = cluster.model_of_duals();
        for (std::size_t f = 0; f < sum.size(); ++f) {
          ASSERT_NEAR(cluster.model().parameters[f], sum[f], 1e-5) << model << " " << seed;
        }
      }
    }
  }
}

// The change of 0.1 starts from zeros and stays below the threshold, so it changes no weight.
TEST(Acceleration, WhatStaysBelowTheThresholdHoldsNoStepBack) {
  Problem problem = table("svm", 40, 4);
  problem.options.lambda = 0.01;
  problem.options.l1_ratio = 0.5;
  const std::vector<float> sum{0.1f, 0, 0, 0};
  const auto step = [&] {
    const auto task = make_glm_task(problem.options).value();
    return task->choose_step({.iteration = 1}, {}, task->initial_model(), sum,
                             {1e-4f, 1e-4f, 1e-4f, 1e-4f});
  };
  EXPECT_EQ(step(), 1);
  problem.options.l1_ratio = 0;
  EXPECT_LT(step(), 0.5);
}

// Eight workers have found the same update: the sums are eight times those of one worker.
TEST(Acceleration, WhoHadNoPartInAnIterationChoosesTheSameStepAndKeepsNothing) {
  const Problem problem = table("logistic", 40, 4);
  const auto idle = make_glm_task(problem.options).value();
  const auto busy = make_glm_task(problem.options).value();
  Chunks chunks;
  chunks.emplace(ChunkId{0}, problem.chunks[0]);
  LocalWork work = whole_chunks(chunks, 0, 8);
  work.line_search = true;
  const Model model = busy->initial_model();
  std::vector<float> update(4);
  const std::atomic<bool> never{false};
  const LocalResult result = busy->compute(work, model, chunks, update, never).value();
  std::vector<float> sum = update;
  LineSlopes slopes = result.slopes;
  for (float& value : sum) value *= 8;
  for (float& value : slopes) value *= 8;
  Chunks none;
  const double step = busy->choose_step({}, chunks, model, sum, slopes);
  EXPECT_EQ(idle->choose_step({}, none, model, sum, slopes), step);
  EXPECT_THAT(step, AllOf(Ge(0.01), Le(0.9)));
  idle->commit(none);
  busy->commit(chunks);
  std::vector<double> sums(4, 0.0);
  ASSERT_TRUE(busy->add_dual_sums(chunks, sums));
  for (std::size_t f = 0; f < 4; ++f) EXPECT_NEAR(step * update[f], sums[f], 1e-6);
}

}  // namespace glm_aggregation_test
}  // namespace surety::learn
