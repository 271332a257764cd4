#include "sim/learning/work_cost.h"

#include <algorithm>
#include <cmath>

#include "data/split.h"
#include "protocol/messages.h"

namespace surety::sim {
namespace {

// Seconds that every background computation takes in addition, except for a merge, which takes no
// time.
constexpr double kOverheadS = 0.5e-3;
// Evaluation needs only the forward pass: a third of the time of learning.
constexpr double kEvaluateShare = 1.0 / 3;
constexpr double kReadBytesPerS = 200e6;
constexpr double kReadS = 2e-3;  // Time to open a source.
constexpr double kDiskBytesPerS = 200e6;
constexpr double kSaveS = 0.02;  // Two syncs of a file.

double load_s(const worker::Work& work) {
  double bytes = 0;
  for (const data::ChunkRange& range : work.ranges) bytes += static_cast<double>(range.bytes);
  return bytes > 0 ? kReadS + bytes / kReadBytesPerS : 0;
}

// A network stops between two batches, a linear model between two items.
WorkCost learn_cost(const worker::Work& work, const worker::State& state, const Learner& learner,
                    double share) {
  WorkCost cost{.seconds = 0, .samples = 0};
  bool is_first = true;
  for (const learn::WorkItem& item : work.items) {
    if (work.late_s && cost.seconds >= *work.late_s && !is_first) break;
    is_first = false;
    std::uint32_t count = item.count;
    const data::ChunkRange& range = state.chunks.own().at(item.chunk).range;
    const double each_s = share * learner.sample_s(range, state.model.version);
    if (work.late_s && learner.samples_least > 1) {
      const auto batch = static_cast<double>(learner.samples_least);
      const double left_s = std::max(0.0, *work.late_s - cost.seconds);
      const double most = std::max(1.0, std::ceil(left_s / (each_s * batch))) * batch;
      if (most < count) count = static_cast<std::uint32_t>(most);
    }
    cost.seconds += each_s * count;
    *cost.samples += count;
    if (count < item.count) break;
  }
  return cost;
}

double evaluate_s(const proto::Evaluate& order, const worker::State& state,
                  const Learner& learner) {
  double seconds = 0;
  if (order.duality()) {
    for (const auto& [id, chunk] : state.chunks.own()) {
      seconds += chunk.range.count * learner.sample_s(chunk.range, state.model.version);
    }
  }
  for (const proto::ChunkRange& of_order : order.ranges()) {
    const data::ChunkRange range = protocol::from_proto(of_order);
    const auto selected = data::samples_of(static_cast<data::Split>(order.split()), range.first,
                                           range.count, state.split_seed);
    seconds += static_cast<double>(selected) * learner.sample_s(range, state.model.version);
  }
  return kEvaluateShare * seconds;
}

double save_s(const proto::Save& order, const worker::State& state, const Learner& learner) {
  double bytes = order.model() ? learner.model_bytes(state.model.version) : 0;
  for (const auto& [id, chunk] : state.chunks.own()) {
    bytes += 4.0 * static_cast<double>(chunk.state.size());
  }
  return kSaveS + bytes / kDiskBytesPerS;
}

WorkCost cost_without_overhead(const worker::Work& work, const worker::Machine& machine,
                               const Learner& learner,
                               const std::function<double(double)>& computing_s) {
  const proto::ToWorker& command = *machine.command();
  switch (work.kind) {
    case worker::Work::Kind::kLoad:
      return {.seconds = load_s(work)};
    case worker::Work::Kind::kLearn:
      if (command.step().resum()) return {};
      return learn_cost(work, machine.state(), learner, computing_s(1));
    case worker::Work::Kind::kEvaluate:
      return {.seconds = computing_s(evaluate_s(command.evaluate(), machine.state(), learner))};
    case worker::Work::Kind::kMerge:
    case worker::Work::Kind::kSwitch:
      return {};
    case worker::Work::Kind::kSave:
      return {.seconds = save_s(command.save(), machine.state(), learner)};
  }
  return {};
}

}  // namespace

WorkCost cost_of(const worker::Work& work, const worker::Machine& machine, const Learner& learner,
                 const std::function<double(double)>& computing_s) {
  WorkCost cost = cost_without_overhead(work, machine, learner, computing_s);
  if (work.kind != worker::Work::Kind::kMerge) cost.seconds += kOverheadS;
  return cost;
}

WorkCost cost_of_stopping(const WorkCost& whole, double elapsed_s, std::uint64_t batch) {
  const std::uint64_t samples = whole.samples.value_or(0);
  if (samples == 0) return {.seconds = 0, .samples = samples};
  const double batch_s =
      (whole.seconds - kOverheadS) / static_cast<double>(samples) * static_cast<double>(batch);
  const double batches = batch_s > 0 ? std::floor(elapsed_s / batch_s) + 1 : 1;
  const auto most = static_cast<double>(samples);
  const double done = std::min(most, batches * static_cast<double>(batch));
  const double end_s = whole.seconds * done / most;
  return {.seconds = std::max(0.0, end_s - elapsed_s), .samples = static_cast<std::uint64_t>(done)};
}

}  // namespace surety::sim
