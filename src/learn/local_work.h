// The work that a task (learn/task.h) gets in an iteration, and the result that it returns.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/ids.h"
#include "base/result.h"

namespace surety::learn {

// Samples to visit: `count` of the chunk's samples, from position `first` of the chunk's order in
// this pass. The order is defined by the task; it is a function of seed, pass and chunk.
struct WorkItem {
  ChunkId chunk;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  friend bool operator==(const WorkItem&, const WorkItem&) = default;
};

struct LocalWork {
  // Number of the iteration since the start of the run; it only grows.
  std::uint64_t iteration = 0;
  std::uint32_t pass = 0;
  // Tasks of all workers that merge this iteration (K of CoCoA). Each worker has one task, unless
  // `tasks_of_worker` says otherwise.
  std::uint32_t tasks_of_all = 1;
  // CoCoA: the worker's chunks are divided among this many tasks. They learn one after the other,
  // each without the updates of the others (micro-tasks, as a baseline).
  std::uint32_t tasks_of_worker = 1;
  std::vector<WorkItem> items;
  // CoCoA: all workers will step along the sum of their updates only as far as the dual rises
  // (Task::choose_step), so each may assume a smaller sigma'. Otherwise the whole sum is added.
  bool line_search = false;
  double rate = 1;  // Local SGD: factor of the learning rate.
  // While this worker learns, updates of others change the model. So its updates are applied to
  // newer models than they were computed from. CoCoA's line search may then show that the updates
  // were too large. If false, the updates of all workers are merged at the end of the iteration. A
  // network's first work after channels were removed is never asynchronous
  // (learn/torch/compensation.h).
  bool asynchronous = false;
  // Called from time to time after the first batch. If it returns true, compute() ends with the
  // work that is done so far. It is also called while compute() prepares a model for its first
  // batch, and then true ends the preparation. LocalResult::samples is the number of samples that
  // are done. In local SGD, these are the first samples of the items, in order, and the others are
  // assigned again in this pass. In CoCoA, they are whole items, in any order, and the pass ends
  // with them. If the function is empty, compute() never ends early.
  std::function<bool()> enough{};
  // Called before the first batch if a model had to be prepared for it. The time until this call
  // does not count as time of learning. The function may be empty.
  std::function<void()> when_ready{};
  // These items belong to the iteration of the last compute(), and its tentative state (dual
  // variables, local momentum) continues. The model now contains that work, and possibly updates of
  // others. CoCoA: the slopes are those of the whole iteration; work without items adds nothing to
  // them.
  bool continues = false;
};

// The iteration whose sum of updates determines the step.
struct LineOrder {
  std::uint64_t iteration = 0;
  bool asynchronous = false;
};

// Slopes of the dual objective along an update, at kLinePoints steps
// (learn/linear/glm_line_search.h).
inline constexpr std::size_t kLinePoints = 4;
using LineSlopes = std::array<float, kLinePoints>;

// The vector that workers share while they learn asynchronously: the model. With a line search, the
// slopes follow the model, and start at 0.
[[nodiscard]] inline std::size_t shared_size(std::size_t parameters, bool line_search) {
  return parameters + (line_search ? kLinePoints : 0);
}
[[nodiscard]] inline std::vector<float> shared_vector(std::span<const float> parameters,
                                                      bool line_search) {
  std::vector<float> shared(parameters.begin(), parameters.end());
  shared.resize(shared_size(parameters.size(), line_search), 0.0f);
  return shared;
}

// Sums over the work that was computed, so that the sums of all workers add up.
struct LocalResult {
  std::uint64_t samples = 0;
  double loss_sum = 0;  // Training loss; each sample at the model of its visit.
  // GLM: the sum of each sample's term of the duality gap at its visit. The mean over the samples
  // is an estimate of the gap before the iteration, without extra cost.
  double gap_sum = 0;
  LineSlopes slopes{};  // With LocalWork::line_search; a worker without work adds 0.
  // Number of trainable values of the update, which come first; the others are statistics of the
  // data. Absent means that all are trainable.
  std::optional<std::size_t> trainable{};

  // Adds the sums of another part of the same work, except the slopes, which belong to all of it.
  void add(const LocalResult& part) {
    samples += part.samples;
    loss_sum += part.loss_sum;
    gap_sum += part.gap_sum;
  }
};

}  // namespace surety::learn
