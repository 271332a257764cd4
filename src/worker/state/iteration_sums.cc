#include "worker/state/iteration_sums.h"

#include <algorithm>
#include <functional>

#include "base/check.h"
#include "learn/network/weight_average.h"
#include "proto/surety.pb.h"

namespace surety::worker {
namespace {

// Scales the change at the start of `sums` by the step that the slopes at the end allow.
void follow_line(const proto::Step& order, const std::map<ChunkId, data::Chunk>& chunks,
                 const learn::Model& model, learn::Task& task, std::span<float> sums) {
  SURETY_CHECK(sums.size() >= model.parameters.size() + learn::kLinePoints);
  const std::span<float> change = sums.first(model.parameters.size());
  learn::LineSlopes slopes;
  std::copy_n(sums.end() - learn::kLinePoints, learn::kLinePoints, slopes.begin());
  const double step =
      task.choose_step({.iteration = order.iteration(), .asynchronous = order.has_asynchronous()},
                       chunks, model, change, slopes);
  for (float& value : change) value = static_cast<float>(step * value);
}

}  // namespace

void make_sums(const proto::Step& order, const learn::Model& model, std::span<float> values) {
  const std::size_t parameters = model.parameters.size();
  const std::span<float> change = values.first(parameters);
  if (order.has_asynchronous()) {
    std::ranges::transform(change, model.parameters, change.begin(), std::minus<>());
  } else if (const float missing = values[parameters]; missing > 0) {
    for (float& value : change) value /= 1 - missing;
  }
}

learn::Model next_model(const proto::Step& order, const std::map<ChunkId, data::Chunk>& chunks,
                        const learn::Model& model, learn::Task& task, std::span<float> sums) {
  learn::Model next = model;
  const std::span<float> change = sums.first(model.parameters.size());
  if (order.resum()) {
    std::ranges::copy(change, next.parameters.begin());
    return next;
  }
  if (order.line_search()) follow_line(order, chunks, model, task, sums);
  std::ranges::transform(model.parameters, change, next.parameters.begin(), std::plus<>());
  task.after_merge(model, change, next);
  std::optional<learn::AverageTurn> turn;
  if (order.has_average()) {
    turn = {order.average().passes(), order.average().begin(), order.average().end()};
  }
  learn::take_into_average(turn, next);
  return next;
}

}  // namespace surety::worker
