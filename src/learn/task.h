// A task: what one worker computes in an iteration, on the chunks that it owns.
//
// A task holds no model between calls. The caller keeps the committed model (a flat float32 vector,
// or a `Model` if a pruned version remembers the full one), passes it in, and gets an update back.
// So an iteration can be discarded and repeated. State of samples (dual variables) is kept in the
// chunks: compute() writes *tentative* state, which commit() makes permanent and discard() forgets.
//
// One thread calls a task. Another thread may set the flag `stop` to end compute() early. A linear
// model polls the flag after some 10 ms of work, at most 50 ms; a network polls it before each
// batch.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/team.h"
#include "data/sources/chunk.h"
#include "data/split.h"
#include "learn/local_work.h"
#include "learn/model.h"

namespace surety::learn {

// How to learn: the job's `model:` and `train:` sections, with all defaults filled in.
struct TaskOptions {
  std::string model;          // logistic, svm, lasso, ...; mlp, lenet5, alexnet, ...
  data::Schema schema;        // Schema of the training data.
  std::uint64_t samples = 0;  // Samples of the data set in use: n of the objective.
  std::uint64_t seed = 1;     // It determines the initial model and the order of samples.
  std::uint32_t batch = 32;
  std::uint32_t local_steps = 16;  // H: batches between two merges.
  double learning_rate = 0.01;
  double momentum = 0.9;
  double weight_decay = 0;
  // Local SGD: momentum of the averaged updates (learn/network/outer_step.h).
  double outer_momentum = 0;
  double outer_learning_rate = 1;  // Local SGD: factor of the averaged updates.
  std::optional<double> lambda{};  // GLM: weight of the penalty; absent: 1 / samples.
  // GLM: the penalty is (1 - l1_ratio) ||w||^2 / 2 + l1_ratio ||w||_1.
  double l1_ratio = 0;
  std::uint32_t threads = 1;     // DNN: threads that libtorch computes with.
  std::shared_ptr<Team> team{};  // GLM: threads to compute with; null means one.
  bool streams = false;  // Samples are larger than memory: each chunk is read once, in order.
};

// Sums over the evaluated samples.
struct Evaluation {
  std::uint64_t samples = 0;
  double loss_sum = 0;
  double loss_square_sum = 0;              // The standard error of the mean needs this sum.
  std::optional<std::uint64_t> correct{};  // Absent in a regression, and without samples.
  // GLM on training chunks: the primal objective is (loss_sum + penalty) / n, and the duality gap
  // is (gap_sum + penalty_gap) / n. Each sample's l(z) + l*(-alpha) + alpha z, and each weight's
  // share of G(w) + G*(u) - u.w with u = A alpha, are 0 or more (Fenchel and Young). So nothing
  // cancels when they are added. Because of rounding the model differs from the exact sum A alpha;
  // the gap contains only the square of this difference, or with a proximal term the difference
  // itself.
  double gap_sum = 0;
  // A property of the model: it is equal on all workers, so it is not added up.
  double penalty = 0;
  double penalty_gap = 0;

  // Adds the sums over other samples, but not penalty and penalty_gap, which belong to the model.
  void add(const Evaluation& part) {
    samples += part.samples;
    loss_sum += part.loss_sum;
    loss_square_sum += part.loss_square_sum;
    if (part.correct) correct = correct.value_or(0) + *part.correct;
    gap_sum += part.gap_sum;
  }
};

class Task {
 public:
  virtual ~Task() = default;

  [[nodiscard]] virtual Model initial_model() const = 0;

  // Checks samples that were just read, before anything is computed on them. InvalidInput, naming
  // the first sample that the model cannot learn from; `first` is the number of samples[0].
  [[nodiscard]] virtual Result<void> check(const data::Samples& samples,
                                           std::uint64_t first) const {
    static_cast<void>(samples), static_cast<void>(first);
    return {};
  }

  // Learns on `work` from `model`, and writes the change of model.parameters, before weighting, to
  // `update`.
  // REQUIRES: update.size() == model.parameters.size(); chunks holds every chunk of work.items.
  // Local SGD: update = local model - model, weighted by samples when merged.
  // CoCoA: update = A_k delta_alpha / (lambda n) (or see learn/linear/solver/glm_penalty.h), merged
  // with weight 1. Unavailable if `stop` was set; then no work is kept.
  [[nodiscard]] virtual Result<LocalResult> compute(const LocalWork& work, const Model& model,
                                                    std::map<ChunkId, data::Chunk>& chunks,
                                                    std::span<float> update,
                                                    const std::atomic<bool>& stop) = 0;
  // Chooses the step of an iteration with line_search. It is called after compute(), or without it
  // if this worker has no work in the iteration. The model becomes model + step * update, followed
  // by after_merge(). `update` and `slopes` are the sums over all workers. Equal sums in the same
  // iteration give equal steps on all workers. The tentative state is shortened to the step.
  [[nodiscard]] virtual double choose_step(const LineOrder& order,
                                           const std::map<ChunkId, data::Chunk>& chunks,
                                           const Model& model, std::span<const float> update,
                                           const LineSlopes& slopes) = 0;

  // Completes the merge, before the iteration is committed: changes `model`, the sum of the model
  // `before` and the `update` of an iteration. Deterministic: every worker does it by itself and
  // gets the same bytes.
  virtual void after_merge(const Model& before, std::span<const float> update, Model& model) const {
    static_cast<void>(before), static_cast<void>(update), static_cast<void>(model);
  }

  // The result of the last compute() becomes permanent (commit()) or is dropped (discard()).
  virtual void commit(std::map<ChunkId, data::Chunk>& chunks) = 0;
  virtual void discard() = 0;

  // Loss and correct answers of `model` on these samples, or of its average if it has one.
  // `selected` are indices into `samples`. InvalidInput: the model or a sample does not fit the
  // task.
  [[nodiscard]] virtual Result<Evaluation> evaluate(const data::Samples& samples,
                                                    std::span<const std::uint32_t> selected,
                                                    const Model& model) = 0;

  // GLM only (DNN: InvalidInput). duality_terms() returns the part of these chunks in the duality
  // gap (samples, loss_sum, gap_sum, penalty, penalty_gap). `sums` is A alpha / (lambda n) over the
  // chunks of all workers. A worker passes model.parameters. If they may be wrong, the sums must
  // come from the samples: with other sums the gap can be too small.
  // Corrupt if the loss does not allow the value of a dual variable.
  [[nodiscard]] virtual Result<Evaluation> duality_terms(
      const Model& model, std::span<const double> sums,
      const std::map<ChunkId, data::Chunk>& chunks) = 0;
  // Adds the part of these chunks in A alpha / (lambda n) to `sums`. InvalidInput: the samples do
  // not fit the task. Corrupt: a chunk has dual variables, but not one for each sample. O(values of
  // the samples). REQUIRES: one sum for each feature.
  [[nodiscard]] virtual Result<void> add_dual_sums(const std::map<ChunkId, data::Chunk>& chunks,
                                                   std::span<double> sums) = 0;

  // The same model in another version. Deterministic: every worker does it by itself and gets the
  // same bytes. GLM: only "full" exists. InvalidInput: there is no such version, or (DNN) the model
  // does not fit the task.
  [[nodiscard]] virtual Result<Model> switch_version(const Model& model,
                                                     const std::string& version) = 0;
};

// A GLM task needs no libtorch (learn/linear/glm_task.h), a DNN task does (learn/torch/dnn_task.h).
// Each program passes the factory for the tasks that it can run. InvalidInput: the factory cannot
// make such a task.
using TaskFactory = std::function<Result<std::unique_ptr<Task>>(const TaskOptions&)>;

}  // namespace surety::learn
