// What the workers of an iteration add up: changes of the model, and behind them, with CoCoA's line
// search, slopes of the dual along them.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "base/ids.h"
#include "data/chunk.h"
#include "learn/task.h"
#include "proto/surety.pb.h"

namespace surety::worker {

// What they share while they add (asynchronously): the model, and slopes of 0.
[[nodiscard]] std::vector<float> shared_vector(const proto::Step& order, const learn::Model& model);

// Cuts the change of the model, in front of `sums`, to the step that all of them take.
// REQUIRES: order.line_search().
void follow_line(const proto::Step& order, const std::map<ChunkId, data::Chunk>& chunks,
                 const learn::Model& model, learn::Task& task, std::span<float> sums);

}  // namespace surety::worker
