// A task: what one worker computes in an iteration, on the chunks that it owns.
//
// A task holds no model of its own between calls: the caller keeps the committed model (a flat
// float32 vector, or `Model` where a pruned version remembers the full one), gives it in and gets
// an update out, so that an iteration can be thrown away and done again. What belongs to samples
// (dual variables) lies in the chunks; compute() writes *tentative* state, which commit() makes
// permanent and discard() forgets.
//
// One thread calls a task; compute() polls the stop token at least every 50 ms of work.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/team.h"
#include "data/chunk.h"
#include "data/split.h"
#include "learn/local_work.h"
#include "learn/model.h"

namespace surety::learn {

// How to learn: the job's `model:` and `train:` sections, resolved.
struct TaskOptions {
  std::string model;          // logistic, svm, lasso, ...; mlp, lenet5, alexnet, ...
  data::Schema schema;        // Of the training data.
  std::uint64_t samples = 0;  // In the data set in use: n of the objective.
  std::uint64_t seed = 1;     // Initial model and order of samples.
  std::uint32_t batch = 32;
  std::uint32_t local_steps = 16;  // Batches between two merges (H).
  double learning_rate = 0.05;
  double momentum = 0.9;
  double weight_decay = 0;
  double outer_momentum = 0;       // Local SGD: of the averaged updates (learn/outer_step.h),
  double outer_learning_rate = 1;  // and what they are scaled by.
  double lambda = 0;               // GLM: weight of the penalty; 0 means 1 / samples.
  // GLM: the penalty is (1 - l1_ratio) ||w||^2 / 2 + l1_ratio ||w||_1.
  double l1_ratio = 0;
  std::uint32_t threads = 1;     // DNN.
  std::shared_ptr<Team> team{};  // GLM: threads to compute with; null: one.
  bool streams = false;  // Samples are more than memory: read chunk after chunk, none again.
};

// Sums over the evaluated samples.
struct Evaluation {
  std::uint64_t samples = 0;
  double loss_sum = 0;
  double loss_square_sum = 0;  // For the standard error of the mean.
  std::uint64_t correct = 0;   // Classification only.
  // GLM on training chunks: the primal objective is (loss_sum + penalty) / n, and it is
  // (gap_sum + penalty_gap) / n above the dual one. Each sample's l(z) + l*(-alpha) + alpha z and
  // each weight's share of G(w) + G*(u) - u.w, u = A alpha, are 0 or more (Fenchel and Young):
  // nothing cancels, and rounding of the model, which is no exact sum, shows squared only.
  double gap_sum = 0;
  double penalty = 0;  // Of the model: all workers have the same, which do not add up.
  double penalty_gap = 0;

  // The sums over other samples, without what is of the model.
  void add(const Evaluation& part) {
    samples += part.samples;
    loss_sum += part.loss_sum;
    loss_square_sum += part.loss_square_sum;
    correct += part.correct;
    gap_sum += part.gap_sum;
  }
};

class Task {
 public:
  virtual ~Task() = default;

  [[nodiscard]] virtual Model initial_model() const = 0;

  // Asked of samples that were just read, before anything is computed on them. InvalidInput, naming
  // the first sample that the model cannot learn from; `first` is the number of the first one.
  [[nodiscard]] virtual Result<void> check(const data::Samples& samples,
                                           std::uint64_t first) const {
    static_cast<void>(samples), static_cast<void>(first);
    return {};
  }

  // Learns on `work` from `model`; writes what to add to model.parameters, before weighting.
  // REQUIRES: update.size() == model.parameters.size(); chunks holds every chunk of work.items.
  // Local SGD: update = local model - model, weighted by samples when merged.
  // CoCoA: update = A_k delta_alpha / (lambda n) (or as glm_penalty.h says), merged with weight 1.
  // Unavailable where `stop` was set: nothing is kept.
  [[nodiscard]] virtual Result<LocalResult> compute(const LocalWork& work, const Model& model,
                                                    std::map<ChunkId, data::Chunk>& chunks,
                                                    std::span<float> update,
                                                    const std::atomic<bool>& stop) = 0;
  // After compute() with line_search, or without any work in such an iteration: the model becomes
  // model + step * update, and what after_merge() makes of that. `update` and `slopes` are the sums
  // over all workers; who has the same sums gets the same step in the same iteration. Tentative
  // state becomes that of the step.
  [[nodiscard]] virtual double choose_step(const LineOrder& order,
                                           const std::map<ChunkId, data::Chunk>& chunks,
                                           const Model& model, std::span<const float> update,
                                           const LineSlopes& slopes) = 0;

  // Of the sum `model` of the model `before` and the `update` of an iteration, before it is
  // committed: what follows from these alone. Deterministic: every worker does it for itself and
  // gets the same bytes.
  virtual void after_merge(const Model& before, std::span<const float> update,
                           Model& model) const {
    static_cast<void>(before), static_cast<void>(update), static_cast<void>(model);
  }

  // The last compute() was part of a commit / was not.
  virtual void commit(std::map<ChunkId, data::Chunk>& chunks) = 0;
  virtual void discard() = 0;

  // Loss and correct answers of `model` on these samples, of its average where it has one;
  // `selected` are indices into `samples`.
  [[nodiscard]] virtual Result<Evaluation> evaluate(const data::Samples& samples,
                                                    std::span<const std::uint32_t> selected,
                                                    const Model& model) = 0;

  // GLM: the worker's part of the duality gap on the chunks it owns (samples, loss_sum,
  // gap_sum, penalty, penalty_gap), and its part of model.parameters, which are A alpha / (lambda
  // n), for the sum over workers.
  // DNN: InvalidInput.
  [[nodiscard]] virtual Result<Evaluation> duality_terms(
      const Model& model, const std::map<ChunkId, data::Chunk>& chunks) = 0;
  [[nodiscard]] virtual Result<void> partial_model(const std::map<ChunkId, data::Chunk>& chunks,
                                                   std::span<float> part) = 0;

  // The same model in another version. Deterministic: every worker does it for itself and gets the
  // same bytes. GLM: only "full" exists.
  [[nodiscard]] virtual Result<Model> switch_version(const Model& model,
                                                     const std::string& version) = 0;
};

// A GLM task needs no libtorch (learn/glm_task.h), a DNN task does (learn/torch/dnn_task.h): a
// program says what it can run.
using TaskFactory = std::function<Result<std::unique_ptr<Task>>(const TaskOptions&)>;

}  // namespace surety::learn
