// CoCoA with workers that receive updates of others while they learn. The guarantees of an
// iteration hold for any number of updates that are under way at the same time.
#include <gmock/gmock.h>

#include <deque>

#include "learn/linear/glm_cluster_test.h"
#include "learn/linear/glm_items.h"
#include "learn/linear/glm_line_search.h"
#include "learn/linear/glm_table_test.h"

namespace surety::learn {
namespace glm_asynchronous_test {

using ::testing::ElementsAreArray;

// Workers in lockstep: each learns a piece of its chunks, sees its own updates at once, and sees
// the updates of the others `delay` pieces later.
class AsynchronousCluster : public GlmCluster {
 public:
  AsynchronousCluster(const Problem& problem, std::uint32_t workers, std::size_t pieces,
                      std::size_t delay)
      : GlmCluster(problem.options, problem.chunks, workers), pieces_(pieces), delay_(delay) {}

  void iterate_in_pieces() {
    const std::size_t workers = tasks_.size();
    std::vector<float> common = model_.parameters;  // The model that all workers have seen.
    std::vector<std::deque<std::vector<float>>> unseen(workers);
    LineSlopes slopes{};
    for (std::size_t piece = 0; piece < pieces_; ++piece) {
      std::vector<std::vector<float>> fresh;
      for (std::size_t k = 0; k < workers; ++k) {
        Model view = model_;
        view.parameters = common;
        for (const auto& update : unseen[k]) add(update, view.parameters);
        fresh.push_back(learn(k, piece, view, slopes));
      }
      for (std::size_t k = 0; k < workers; ++k) {
        unseen[k].push_back(std::move(fresh[k]));
        if (unseen[k].size() <= delay_) continue;
        add(unseen[k].front(), common);
        unseen[k].pop_front();
      }
    }
    for (const auto& updates : unseen) {
      for (const auto& update : updates) add(update, common);
    }
    end(std::move(common), slopes);
  }

 private:
  static void add(const std::vector<float>& update, std::vector<float>& to) {
    for (std::size_t f = 0; f < to.size(); ++f) to[f] += update[f];
  }

  // The last piece returns the slopes of all pieces.
  std::vector<float> learn(std::size_t k, std::size_t piece, const Model& view,
                           LineSlopes& slopes) {
    LocalWork work{.iteration = pass_,
                   .pass = pass_,
                   .tasks_of_all = static_cast<std::uint32_t>(tasks_.size()),
                   .items = {},
                   .line_search = true,
                   .asynchronous = true,
                   .continues = piece > 0};
    std::size_t i = 0;
    for (const auto& [id, chunk] : owned_[k]) {
      if (i++ * pieces_ / owned_[k].size() == piece)
        work.items.push_back({id, 0, chunk.range.count});
    }
    std::vector<float> update(view.parameters.size());
    const auto result = tasks_[k]->compute(work, view, owned_[k], update, never_);
    EXPECT_TRUE(result);
    for (std::size_t j = 0; piece + 1 == pieces_ && j < slopes.size(); ++j) {
      slopes[j] += result->slopes[j];
    }
    return update;
  }

  void end(std::vector<float> sum, const LineSlopes& slopes) {
    std::transform(sum.begin(), sum.end(), model_.parameters.begin(), sum.begin(), std::minus<>());
    double step = 1;
    for (std::size_t k = 0; k < tasks_.size(); ++k) {
      step = tasks_[k]->choose_step({.iteration = pass_, .asynchronous = true}, owned_[k], model_,
                                    sum, slopes);
      tasks_[k]->commit(owned_[k]);
    }
    for (std::size_t f = 0; f < sum.size(); ++f) {
      model_.parameters[f] += static_cast<float>(step * sum[f]);
    }
    tasks_[0]->after_merge(model_, sum, model_);
    ++pass_;
  }

  std::size_t pieces_;
  std::size_t delay_;
};

TEST(Asynchronous, TheModelIsTheSumOfItsDualsAndTheDualDoesNotFall) {
  for (const char* model : {"logistic", "svm", "svm-l2", "ridge"}) {
    for (const std::size_t delay : {0u, 1u, 4u, 8u}) {
      Problem problem = table(model, 640, 20);
      problem.options.lambda = 0.001;
      AsynchronousCluster cluster(problem, 4, 16, delay);
      double dual = -1e9;
      for (int i = 0; i < 30; ++i) {
        cluster.iterate_in_pieces();
        const auto now = cluster.objective();
        EXPECT_GE(now.gap, -1e-9);
        EXPECT_GE(now.dual(), dual - 1e-6) << model << ", delay " << delay << ", " << i;
        dual = now.dual();
        const std::vector<double> sum = cluster.model_of_duals();
        for (std::size_t f = 0; f < sum.size(); ++f) {
          ASSERT_NEAR(cluster.model().parameters[f], sum[f], 1e-4) << model;
        }
      }
    }
  }
}

TEST(Asynchronous, GetsThereHoweverManyUpdatesCross) {
  for (const char* model : {"logistic", "svm", "svm-l2", "ridge", "elastic-net"}) {
    for (const std::uint32_t workers : {4u, 16u}) {
      for (const std::size_t delay : {0u, 4u, 8u, 16u}) {
        Problem problem = table(model, 1600, 20);
        problem.options.lambda = 0.001;
        if (model == std::string("elastic-net")) problem.options.l1_ratio = 0.5;
        AsynchronousCluster cluster(problem, workers, 16, delay);
        int iterations = 0;
        while (cluster.objective().gap > 1e-3 && iterations < 200)
          cluster.iterate_in_pieces(), ++iterations;
        EXPECT_LT(iterations, 200) << model << ", " << workers << " workers, delay " << delay;
      }
    }
  }
}

// A late worker learns only after a piece that this was its last one.
TEST(Asynchronous, WorkWithoutItemsGivesTheSlopesOfTheWholeIteration) {
  const Problem problem = table("svm", 60, 5);
  Chunks chunks;
  for (const data::Chunk& chunk : problem.chunks) chunks.emplace(chunk.range.id, chunk);
  Chunks again = chunks;
  const auto one = make_glm_task(problem.options).value();
  const auto other = make_glm_task(problem.options).value();
  const std::atomic<bool> never{false};
  const Model start = one->initial_model();
  LocalWork work = whole_chunks(chunks, 0, 4);
  work.asynchronous = true;
  std::vector<float> update(start.parameters.size());
  ASSERT_TRUE(one->compute(work, start, chunks, update, never));
  Model view = start;
  for (std::size_t f = 0; f < update.size(); ++f) view.parameters[f] += update[f] + 0.25f;
  LocalWork end = work;
  end.items.clear();
  end.line_search = end.continues = true;
  std::vector<float> nothing(update.size(), 1.0f);
  const LocalResult slopes = one->compute(end, view, chunks, nothing, never).value();
  EXPECT_EQ(slopes.samples, 0u);
  EXPECT_THAT(nothing, ::testing::Each(0.0f));

  work.line_search = true;
  const LocalResult known = other->compute(work, start, again, update, never).value();
  EXPECT_EQ(slopes.slopes, known.slopes);
  EXPECT_THAT(known.slopes, ::testing::Contains(::testing::Ne(0.0f)));
}

TEST(Asynchronous, WhatIsDiscardedIsForgottenWithAllItsPieces) {
  const Problem problem = table("svm", 20, 5);
  Chunks chunks;
  for (const data::Chunk& chunk : problem.chunks) chunks.emplace(chunk.range.id, chunk);
  const auto task = make_glm_task(problem.options).value();
  const std::atomic<bool> never{false};
  LocalWork work = whole_chunks(chunks, 0, 2);
  const std::vector<WorkItem> items = work.items;
  std::vector<float> update(5);
  work.items = {items[0]};
  ASSERT_TRUE(task->compute(work, task->initial_model(), chunks, update, never));
  work.items = {items[1]};
  work.continues = true;
  ASSERT_TRUE(task->compute(work, task->initial_model(), chunks, update, never));
  task->discard();
  task->commit(chunks);
  for (const auto& [id, chunk] : chunks) EXPECT_TRUE(chunk.state.empty());
}

}  // namespace glm_asynchronous_test
}  // namespace surety::learn
