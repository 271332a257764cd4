#include "worker/iteration_sums.h"

#include <algorithm>

#include "base/check.h"

namespace surety::worker {

std::vector<float> shared_vector(const proto::Step& order, const learn::Model& model) {
  std::vector<float> shared = model.parameters;
  if (order.line_search()) shared.resize(shared.size() + learn::kLinePoints, 0.0f);
  return shared;
}

void follow_line(const proto::Step& order, const std::map<ChunkId, data::Chunk>& chunks,
                 const learn::Model& model, learn::Task& task, std::span<float> sums) {
  SURETY_CHECK(sums.size() >= model.parameters.size() + learn::kLinePoints);
  const std::span<float> update = sums.first(model.parameters.size());
  learn::LineSlopes slopes;
  std::copy_n(sums.end() - learn::kLinePoints, learn::kLinePoints, slopes.begin());
  const double step =
      task.choose_step({.iteration = order.iteration(), .asynchronous = order.has_asynchronous()},
                       chunks, model, update, slopes);
  for (float& value : update) value = static_cast<float>(step * value);
}

}  // namespace surety::worker
