// The order in which a linear model takes its work items, and how it groups them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "data/sources/chunk.h"
#include "learn/local_work.h"

namespace surety::learn {

// The work items of each of work.tasks_of_worker tasks; tasks without items are left out. Chunks
// are dealt to the tasks in turn, so that a task keeps its chunks as long as the worker keeps the
// same chunks. A task's chunks come in a random order, which changes with the pass. The items of a
// chunk stay in their order, so that the visits of a chunk do not depend on the number of items
// that it was cut into. REQUIRES: work.tasks_of_worker >= 1. O(items log items).
[[nodiscard]] std::vector<std::vector<WorkItem>> items_of_tasks(const LocalWork& work,
                                                                std::uint64_t seed);

[[nodiscard]] std::size_t values_of(const std::map<ChunkId, data::Chunk>& chunks);

// The number of items, from the first one on, whose chunks have about this many values; at least
// one. REQUIRES: items is not empty; chunks holds the chunks of all items.
[[nodiscard]] std::size_t items_with(std::size_t values, std::span<const WorkItem> items,
                                     const std::map<ChunkId, data::Chunk>& chunks);

}  // namespace surety::learn
