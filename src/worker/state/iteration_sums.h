// The sums over the workers of an iteration. They contain the changes of the model, in a
// synchronous iteration also the missing share of the samples, and with CoCoA's line search the
// slopes of the dual.
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

// Turns the result of the round or the exchange of a step into the sums for next_model(), in place.
// After a round, the missing share of the samples follows the parameters, and the change is scaled
// to the samples that were learned. After an exchange, `values` is the vector that all workers
// share, so the change is its difference from `model`.
void make_sums(const proto::Step& order, const learn::Model& model, std::span<float> values);

// The model after an iteration. `sums` begins with the change of the model, which is scaled by the
// common step of all workers, or with the new model if it was summed anew (order.resum()). The new
// model enters the average of models as order.average() says. Deterministic: equal inputs give
// equal bytes.
[[nodiscard]] learn::Model next_model(const proto::Step& order,
                                      const std::map<ChunkId, data::Chunk>& chunks,
                                      const learn::Model& model, learn::Task& task,
                                      std::span<float> sums);

}  // namespace surety::worker
