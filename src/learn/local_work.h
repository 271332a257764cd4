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
  std::uint64_t iteration = 0;  // Number since the start of the run; it only grows.
  std::uint32_t pass = 0;
  std::uint32_t workers = 1;  // Workers that merge this iteration (K); with `tasks`, their tasks.
  // CoCoA: the worker's chunks are learned by this many tasks, one after the other, which know
  // nothing of each other (micro-tasks, as a baseline).
  std::uint32_t tasks = 1;
  std::vector<WorkItem> items;
  // CoCoA: all workers will follow the sum of their updates only as far as the dual rises
  // (Task::choose_step), so each may assume a smaller sigma'. Otherwise the whole sum is added.
  bool line_search = false;
  double rate = 1;  // Local SGD: factor of the learning rate.
  // Asynchronous iterations: the weight of each worker's update. While this worker learns, updates
  // of others change the model, and its own updates were computed from older models than they are
  // applied to. CoCoA's line search may then show that the updates were too large. None means that
  // the updates of all workers are merged at the end of the iteration.
  std::optional<double> update_weight{};
  // Called now and then, after the first batch; true ends compute() with what is done so far. It is
  // also called while compute() prepares a model for its first batch, and then true ends the
  // preparation. LocalResult::samples tells how many samples are done. Local SGD: the first samples
  // of the items, in order; the rest is given out again in this pass. CoCoA: any items, whole; the
  // pass ends with them. Empty means that compute() never ends early.
  std::function<bool()> enough{};
  // Called before the first batch if a model had to be prepared for it: the time until then does
  // not count as time of learning. May be empty.
  std::function<void()> when_ready{};
  // These items belong to the iteration of the last compute(), and its tentative state (dual
  // variables, local momentum) continues. The model now contains that work, and possibly updates of
  // others. CoCoA: the slopes are those of the whole iteration; work without items adds nothing to
  // them.
  bool continues = false;
};

// The iteration whose sum of updates is to be followed.
struct LineOrder {
  std::uint64_t iteration = 0;
  bool asynchronous = false;
};

// Slopes of the dual objective along an update, at kLinePoints steps
// (learn/linear/glm_line_search.h).
inline constexpr std::size_t kLinePoints = 4;
using LineSlopes = std::array<float, kLinePoints>;

// The vector that workers share while they learn asynchronously: the model and, with a line search,
// behind it the slopes, which start at 0.
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
  // GLM: what each sample added to the duality gap at its visit. The mean over the samples is an
  // estimate of the gap before the iteration, without extra cost.
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
