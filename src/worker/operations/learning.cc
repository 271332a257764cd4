#include "worker/operations/learning.h"

#include <algorithm>
#include <utility>

namespace surety::worker {
namespace {

// The first `samples` of the items.
std::vector<learn::WorkItem> first_of(const std::vector<learn::WorkItem>& items,
                                      std::uint64_t samples) {
  std::vector<learn::WorkItem> first;
  for (learn::WorkItem item : items) {
    item.count = static_cast<std::uint32_t>(std::min<std::uint64_t>(item.count, samples));
    samples -= item.count;
    if (item.count > 0) first.push_back(item);
  }
  return first;
}

}  // namespace

Result<void> check_items(const proto::Step& order, const State& state) {
  for (const proto::WorkItem& item : order.items()) {
    if (state.chunks.own().contains(ChunkId{item.chunk()})) continue;
    return fail(ErrorCode::kDefect, "work on chunk {}, which this worker does not hold",
                item.chunk());
  }
  return {};
}

std::optional<Time> late_at(const proto::Step& order, Time began) {
  if (!order.has_compute_s_max()) return std::nullopt;
  return began + from_seconds(order.compute_s_max());
}

std::optional<double> late_s(const std::optional<Time>& late, Time now) {
  if (!late) return std::nullopt;
  return to_seconds(*late - now);
}

Result<void> call_learning(const proto::Step& order, const LearningCall& call, State& state,
                           const Host& host, const WorkLimits& limits, Learned& learned) {
  const auto parameters = call.model.parameters.size();
  learned.update.assign(parameters, 0.0f);
  std::optional<Time> late = call.late;
  const auto is_late = [&] { return late && host.now() >= *late; };
  learn::LocalWork work{.iteration = order.iteration(),
                        .pass = order.pass(),
                        .tasks_of_all = order.tasks(),
                        .tasks_of_worker = order.tasks_per_node(),
                        .items = call.items,
                        .line_search = order.line_search() && call.is_end,
                        .rate = order.rate(),
                        .asynchronous = order.has_asynchronous(),
                        .enough = {},
                        .when_ready =
                            [&] {
                              if (late) *late += host.now() - learned.began;
                              learned.began = host.now();
                            },
                        .continues = call.continues};
  const bool keeps_parts = order.averages();
  if (limits.samples) {
    work.items = first_of(call.items, *limits.samples);
  } else if (keeps_parts || late) {
    work.enough = [&, keeps_parts] { return (keeps_parts && limits.stop) || is_late(); };
  }
  const std::atomic<bool> never{false};
  const std::atomic<bool>& stop = keeps_parts ? never : limits.stop;
  // The last piece may have no items. The slopes of the work that was learned before are needed
  // nevertheless.
  if (!work.items.empty() || (work.line_search && work.continues)) {
    SURETY_TRY(learned.result, state.task->compute(work, call.model, state.chunks.own_for_task(),
                                                   learned.update, stop));
  }
  learned.ended = host.now();
  learned.is_late = is_late();
  if (!order.line_search() || work.line_search || !learned.is_late) return {};
  // The worker is late before the end of its work. So it computes the slopes of what it has
  // learned, without learning more.
  std::vector<float> nothing(parameters, 0.0f);
  work.items.clear();
  work.line_search = work.continues = true;
  SURETY_TRY(const learn::LocalResult slopes,
             state.task->compute(work, call.model, state.chunks.own_for_task(), nothing, never));
  learned.result.slopes = slopes.slopes;
  return {};
}

}  // namespace surety::worker
