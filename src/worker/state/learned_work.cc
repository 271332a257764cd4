#include "worker/state/learned_work.h"

#include <algorithm>

#include "base/check.h"
#include "proto/surety.pb.h"

namespace surety::worker {

std::vector<learn::WorkItem> items_of(const proto::Step& order) {
  std::vector<learn::WorkItem> items;
  for (const proto::WorkItem& item : order.items()) {
    items.push_back({ChunkId{item.chunk()}, item.first(), item.count()});
  }
  return items;
}

LearnedWork LearnedWork::begin(const proto::Step& order) {
  return {.iteration = order.iteration(), .items = items_of(order)};
}

bool LearnedWork::is_of(const proto::Step& order) const {
  // An exchange continues only from batches that were counted.
  const bool lacks_steps = order.has_asynchronous() && is_begun() && !steps;
  return iteration == order.iteration() && items == items_of(order) && !lacks_steps;
}

std::vector<learn::WorkItem> LearnedWork::items_left() const {
  std::vector<learn::WorkItem> left;
  std::uint64_t done = result.samples;
  for (learn::WorkItem item : items) {
    const auto taken = static_cast<std::uint32_t>(std::min<std::uint64_t>(done, item.count));
    done -= taken;
    item.first += taken;
    item.count -= taken;
    if (item.count > 0) left.push_back(item);
  }
  SURETY_CHECK(done == 0);
  return left;
}

void LearnedWork::add_to(std::span<float> model) const {
  if (change.empty()) return;
  SURETY_CHECK(change.size() == model.size());
  for (std::size_t i = 0; i < model.size(); ++i) model[i] += change[i];
}

}  // namespace surety::worker
