// What the workers of an iteration add up: the changes of the model; in a synchronous iteration,
// the share of the samples that is missing; and with CoCoA's line search, the slopes of the dual.
#pragma once

#include <map>
#include <span>

#include "base/ids.h"
#include "data/sources/chunk.h"
#include "learn/task.h"

namespace surety::proto {
class Step;
}  // namespace surety::proto

namespace surety::worker {

// Turns what all workers have after the round or the exchange of a step into the sums of
// next_model(), in place. After a round the share of the samples that is missing is behind the
// parameters, and the change is that of the samples that were learned. After an exchange `values`
// is the vector that the workers share, so the change is its difference from `model`.
void make_sums(const proto::Step& order, const learn::Model& model, std::span<float> values);

// The model after an iteration. `sums` begins with the change of the model, which is cut to the
// step that all workers take, or with the new model if it was summed anew (order.resum()). The new
// model enters the average of models as order.average() says. Deterministic: equal inputs give
// equal bytes.
[[nodiscard]] learn::Model next_model(const proto::Step& order,
                                      const std::map<ChunkId, data::Chunk>& chunks,
                                      const learn::Model& model, learn::Task& task,
                                      std::span<float> sums);

}  // namespace surety::worker
