// What a task (learn/task.h) is told to compute in an iteration, and what it says about it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/ids.h"
#include "base/result.h"

namespace surety::learn {

// Samples to visit: `count` of the chunk's samples from position `first` of the chunk's order in
// this pass (the order is the task's own, a function of seed, pass and chunk).
struct WorkItem {
  ChunkId chunk;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  friend bool operator==(const WorkItem&, const WorkItem&) = default;
};

// In the middle of an asynchronous iteration: what the worker has learned may go to the others, and
// what they have learned come in.
struct MergePoint {
  std::span<float> parameters;  // Of the local model: may be changed.
  std::size_t trainable = 0;    // The first of them; the rest are statistics of the data.
  std::uint32_t steps = 0;      // Batches since the last one.
  bool last = false;            // The work is done.
};

struct LocalWork {
  std::uint64_t iteration = 0;  // Since the start of the run; only grows.
  std::uint32_t pass = 0;
  std::uint32_t workers = 1;  // That merge this iteration (K); with `tasks`, tasks of them.
  // CoCoA: this worker's chunks are learned by so many tasks, one after the other, that know
  // nothing of each other (micro-tasks, as a baseline).
  std::uint32_t tasks = 1;
  std::vector<WorkItem> items;
  // CoCoA: all workers will follow the sum of their updates only as far as the dual rises
  // (Task::choose_step), so each may assume a smaller sigma'. Else the sum is added.
  bool line_search = false;
  double rate = 1;  // Local SGD: times the learning rate.
  // Asked now and then, after the first batch: true ends compute() with what is done;
  // LocalResult::samples says how many. Local SGD: the first of the items' samples, in order; what
  // is left is given out again in this pass. CoCoA: any items, whole; the pass is over with them.
  // Empty: never.
  std::function<bool()> enough{};
  // Local SGD: called after so many batches each, and at the end; its error ends compute(). Empty:
  // the local model is the worker's own until the end.
  std::function<Result<void>(const MergePoint&)> merge{};
  std::uint32_t merge_every = 1;
};

// Of the dual objective along an update, at kLinePoints steps (learn/glm_line_search.h).
inline constexpr std::size_t kLinePoints = 4;
using LineSlopes = std::array<float, kLinePoints>;

// Sums over what was computed, so that the sums of workers add up.
struct LocalResult {
  std::uint64_t samples = 0;
  double loss_sum = 0;  // Training loss at the model each sample was visited with.
  double gap_sum = 0;   // GLM: what each sample added to the duality gap when it was visited. Over
                        // the samples an estimate of the gap before the iteration, for nothing.
  LineSlopes slopes{};  // With LocalWork::line_search; what a worker without work adds is 0.
};

}  // namespace surety::learn
