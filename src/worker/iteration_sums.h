// What the workers of an iteration add up: changes of the model, and behind them, with CoCoA's line
// search, slopes of the dual along them.
#pragma once

#include <map>
#include <span>

#include "base/ids.h"
#include "data/chunk.h"
#include "learn/task.h"

namespace surety::proto {
class Step;
}  // namespace surety::proto

namespace surety::worker {

// The model after an iteration: in front of `sums` lies its change, which is cut to the step that
// all workers take, or the new model where it was summed anew (order.resum()). The new model goes
// into the average of models, as order.average() says. Deterministic: who
// has the same gets the same bytes.
[[nodiscard]] learn::Model next_model(const proto::Step& order,
                                      const std::map<ChunkId, data::Chunk>& chunks,
                                      const learn::Model& model, learn::Task& task,
                                      std::span<float> sums);

}  // namespace surety::worker
