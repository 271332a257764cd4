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
  // Of the local model: may be changed. CoCoA with a line search: and behind them the slopes, which
  // are added at the last point.
  std::span<float> parameters;
  std::size_t trainable = 0;  // The first of them; the rest are statistics of the data.
  std::uint32_t steps = 0;    // Batches since the last one; of CoCoA, samples.
  bool last = false;          // The work is done.
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
  // CoCoA: others' updates come into the model while this worker learns, and its own go out, each
  // of an earlier model than it meets. The line search may then show that they were too bold.
  bool asynchronous = false;
  double rate = 1;  // Local SGD: times the learning rate.
  // Asynchronous local SGD: of each worker's update. 0: their average is what is merged.
  double update_weight = 0;
  // Asked now and then, after the first batch: true ends compute() with what is done (and asked
  // while compute() makes a model ready for its first batch: true ends that);
  // LocalResult::samples says how many. Local SGD: the first of the items' samples, in order; what
  // is left is given out again in this pass. CoCoA: any items, whole; the pass is over with them.
  // Empty: never.
  std::function<bool()> enough{};
  // Called before the first batch where a model had to be made ready for it: the time until then
  // is not the time of learning. Empty: nobody measures.
  std::function<void()> when_ready{};
  // Called after so many batches each (CoCoA: after the item with which so many samples are done),
  // and at the end; its error ends compute(). Empty: the local model is the worker's own until the
  // end. REQUIRES for CoCoA: tasks == 1.
  std::function<Result<void>(const MergePoint&)> merge{};
  std::uint32_t merge_every = 1;
  // More items of the iteration of the last compute(), whose tentative state (dual variables, local
  // momentum) it goes on from: the model has become one that contains them, and maybe others'
  // updates. CoCoA: the slopes are those of all of it.
  bool continues = false;
};

// Whose sum of updates is to be followed.
struct LineOrder {
  std::uint64_t iteration = 0;
  bool asynchronous = false;
};

// Of the dual objective along an update, at kLinePoints steps (learn/glm_line_search.h).
inline constexpr std::size_t kLinePoints = 4;
using LineSlopes = std::array<float, kLinePoints>;

// What workers share while they learn asynchronously: the model and, with a line search, behind it
// the slopes, 0 at first.
[[nodiscard]] inline std::vector<float> shared_vector(std::span<const float> parameters,
                                                      bool line_search) {
  std::vector<float> shared(parameters.begin(), parameters.end());
  if (line_search) shared.resize(shared.size() + kLinePoints, 0.0f);
  return shared;
}

// Sums over what was computed, so that the sums of workers add up.
struct LocalResult {
  std::uint64_t samples = 0;
  double loss_sum = 0;  // Training loss at the model each sample was visited with.
  double gap_sum = 0;   // GLM: what each sample added to the duality gap when it was visited. Over
                        // the samples an estimate of the gap before the iteration, for nothing.
  LineSlopes slopes{};  // With LocalWork::line_search; what a worker without work adds is 0.

  // The sums of another part of the same work; slopes are of all of it.
  void add(const LocalResult& part) {
    samples += part.samples;
    loss_sum += part.loss_sum;
    gap_sum += part.gap_sum;
  }
};

}  // namespace surety::learn
