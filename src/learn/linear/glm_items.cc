#include "learn/linear/glm_items.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/check.h"
#include "base/random.h"

namespace surety::learn {
namespace {

std::vector<WorkItem> in_random_order(const LocalWork& work, std::uint64_t seed) {
  const Random random = Random(seed).fork("chunks", work.pass);
  const auto key = [&](const WorkItem& item) {
    return Random(random).fork("chunk", item.chunk.value).next();
  };
  std::vector<std::pair<std::uint64_t, WorkItem>> keyed;
  for (const WorkItem& item : work.items) keyed.emplace_back(key(item), item);
  std::stable_sort(keyed.begin(), keyed.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<WorkItem> items;
  for (const auto& [order, item] : keyed) items.push_back(item);
  return items;
}

std::size_t values_in(const data::Samples& samples) {
  return samples.f32.size() + samples.u8.size();
}

}  // namespace

std::vector<std::vector<WorkItem>> items_of_tasks(const LocalWork& work, std::uint64_t seed) {
  SURETY_CHECK(work.tasks_of_worker >= 1);
  std::map<ChunkId, std::size_t> task;
  for (const WorkItem& item : work.items) task[item.chunk] = 0;
  std::size_t next = 0;
  for (auto& [chunk, number] : task) number = next++ % work.tasks_of_worker;
  std::vector<std::vector<WorkItem>> items(
      std::min<std::size_t>(work.tasks_of_worker, task.size()));
  for (const WorkItem& item : in_random_order(work, seed)) {
    items[task.at(item.chunk)].push_back(item);
  }
  return items;
}

std::size_t values_of(const std::map<ChunkId, data::Chunk>& chunks) {
  std::size_t sum = 0;
  for (const auto& [id, chunk] : chunks) sum += values_in(chunk.samples);
  return sum;
}

std::size_t items_with(std::size_t values, std::span<const WorkItem> items,
                       const std::map<ChunkId, data::Chunk>& chunks) {
  std::size_t count = 0;
  for (std::size_t sum = 0; count < items.size() && sum < values; ++count) {
    const auto chunk = chunks.find(items[count].chunk);
    SURETY_CHECK(chunk != chunks.end());
    sum += values_in(chunk->second.samples);
  }
  return std::max<std::size_t>(count, 1);
}

}  // namespace surety::learn
