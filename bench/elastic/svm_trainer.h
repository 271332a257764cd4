// Trains a linear SVM with one worker's task as a job does, but without a job.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "data/sources/chunk.h"
#include "datasets.h"
#include "learn/task.h"

namespace surety::bench {

using Chunks = std::map<ChunkId, data::Chunk>;

// Cuts the data set into chunks of about a megabyte.
[[nodiscard]] Chunks cut_into_chunks(const Dataset& set);

struct Trained {
  learn::Model model;  // The model with the best primal objective seen.
  double gap = 0;      // Certified gap: the best primal value minus the last dual value.
  double dual = 0;
  double cpu_s = 0;
  double wall_s = 0;
  int iterations = 0;
};

// Trains until the gap is at most `target`, and leaves the dual variables in the chunks. The gap is
// only computed when the task's own estimate says that it may be small enough.
[[nodiscard]] Result<Trained> train_svm(const data::Schema& schema, Chunks& chunks, double target,
                                        std::shared_ptr<Team> team = nullptr);

}  // namespace surety::bench
