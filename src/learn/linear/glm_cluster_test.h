// K workers that train a linear model together in one thread, for tests. It also does the work of
// the coordinator, without failures.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "learn/linear/glm_table_test.h"
#include "learn/linear/glm_task.h"
#include "learn/linear/solver/glm_penalty.h"

namespace surety::learn {

using Chunks = std::map<ChunkId, data::Chunk>;

inline LocalWork whole_chunks(const Chunks& chunks, std::uint32_t pass, std::uint32_t workers) {
  LocalWork work{.iteration = pass, .pass = pass, .tasks_of_all = workers, .items = {}};
  for (const auto& [id, chunk] : chunks) work.items.push_back({id, 0, chunk.range.count});
  return work;
}

class GlmCluster {
 public:
  // Deals the chunks to the workers in turn.
  GlmCluster(const TaskOptions& options, std::vector<data::Chunk> chunks, std::uint32_t workers,
             bool line_search = false)
      : options_(options), line_search_(line_search), owned_(workers) {
    for (std::uint32_t k = 0; k < workers; ++k) tasks_.push_back(make_glm_task(options).value());
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      owned_[i % workers].emplace(chunks[i].range.id, std::move(chunks[i]));
    }
    model_ = tasks_[0]->initial_model();
  }

  // One iteration of all workers that have chunks. For a late worker, `late` has the number of
  // chunks after which it stops.
  void iterate(const std::map<std::size_t, int>& late = {}, std::uint32_t tasks = 1) {
    std::vector<float> sum(model_.parameters.size(), 0.0f);
    LineSlopes slopes{};
    std::uint32_t workers = 0;
    for (const Chunks& owned : owned_) {
      workers += std::min(tasks, static_cast<std::uint32_t>(owned.size()));
    }
    searched_ = line_search_ && workers > 1;
    for (std::size_t k = 0; k < tasks_.size(); ++k) {
      if (owned_[k].empty()) continue;
      std::vector<float> update(sum.size());
      LocalWork work = whole_chunks(owned_[k], pass_, workers);
      work.line_search = searched_;
      work.tasks_of_worker = tasks;
      int left = late.contains(k) ? late.at(k) : -1;
      work.enough = [left]() mutable { return --left == 0; };
      const auto result = tasks_[k]->compute(work, model_, owned_[k], update, never_);
      ASSERT_TRUE(result) << result.error().message;
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += update[i];
      for (std::size_t i = 0; i < slopes.size(); ++i) slopes[i] += result->slopes[i];
    }
    step_ = 1;
    for (std::size_t k = 0; k < tasks_.size(); ++k) {
      if (searched_)
        step_ = tasks_[k]->choose_step({.iteration = pass_}, owned_[k], model_, sum, slopes);
      tasks_[k]->commit(owned_[k]);
    }
    for (std::size_t i = 0; i < sum.size(); ++i) {
      model_.parameters[i] += static_cast<float>(step_ * sum[i]);
    }
    tasks_[0]->after_merge(model_, sum, model_);
    ++pass_;
  }

  struct Objective {
    double primal = 0;
    double gap = 0;
    [[nodiscard]] double dual() const { return primal - gap; }
  };
  [[nodiscard]] Objective objective() {
    const double n = static_cast<double>(options_.samples);
    double loss_sum = 0;
    double gap_sum = 0;
    Evaluation terms;
    const std::vector<double> sums(model_.parameters.begin(), model_.parameters.end());
    for (std::size_t k = 0; k < tasks_.size(); ++k) {
      terms = tasks_[k]->duality_terms(model_, sums, owned_[k]).value();
      loss_sum += terms.loss_sum;
      gap_sum += terms.gap_sum;
    }
    return {(loss_sum + terms.penalty) / n, (gap_sum + terms.penalty_gap) / n};
  }

  [[nodiscard]] std::vector<float> weights() const {
    return weights_of(model_.parameters, model_.parent, options_.l1_ratio);
  }

  // The dual variables of a worker's chunks are lost, and the model is summed again.
  void lose_duals(std::size_t worker) {
    for (auto& [id, chunk] : owned_[worker]) chunk.state.clear();
    const std::vector<double> sum = model_of_duals();
    model_.parameters.assign(sum.begin(), sum.end());
  }

  // A alpha / (lambda n), summed over the workers.
  [[nodiscard]] std::vector<double> model_of_duals() {
    std::vector<double> sum(model_.parameters.size(), 0.0);
    for (std::size_t k = 0; k < tasks_.size(); ++k) {
      EXPECT_TRUE(tasks_[k]->add_dual_sums(owned_[k], sum));
    }
    return sum;
  }

  // Iterations until the gap is at most `target`, or iterations_max + 1 if the gap stays larger.
  [[nodiscard]] int iterations_to(double target, int iterations_max) {
    while (objective().gap > target && static_cast<int>(pass_) <= iterations_max) iterate();
    return static_cast<int>(pass_);
  }

  // Moves a chunk from one worker to another.
  void move(std::size_t from, std::size_t to, ChunkId chunk) {
    owned_[to].insert(owned_[from].extract(chunk));
  }

  [[nodiscard]] double step() const { return step_; }  // The step of the last iteration.
  [[nodiscard]] const Model& model() const { return model_; }
  [[nodiscard]] Chunks& owned(std::size_t worker) { return owned_[worker]; }
  [[nodiscard]] Task& task(std::size_t worker) { return *tasks_[worker]; }

 protected:
  TaskOptions options_;
  bool line_search_ = false;
  bool searched_ = false;
  double step_ = 1;
  std::vector<std::unique_ptr<Task>> tasks_;
  std::vector<Chunks> owned_;
  Model model_;
  std::uint32_t pass_ = 0;
  std::atomic<bool> never_{false};
};

}  // namespace surety::learn
