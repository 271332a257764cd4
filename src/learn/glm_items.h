// In which order a linear model takes its work items, and which belong together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "data/chunk.h"
#include "learn/local_work.h"

namespace surety::learn {

// The items of each of work.tasks, none of them without any: chunks dealt out in turn, so that the
// same task has the same ones while the worker has. A task's chunks come in random order, which
// changes with the pass, and the items of a chunk in theirs: visits of a chunk do not depend on how
// many items it was cut into.
// REQUIRES: work.tasks >= 1. O(items log items).
[[nodiscard]] std::vector<std::vector<WorkItem>> items_of_tasks(const LocalWork& work,
                                                                std::uint64_t seed);

[[nodiscard]] std::size_t values_of(const std::map<ChunkId, data::Chunk>& chunks);

// How many items in front have so many samples; at least one. REQUIRES: items is not empty.
[[nodiscard]] std::size_t items_with_samples(std::uint64_t samples,
                                             std::span<const WorkItem> items);

// How many items in front have chunks of about so many values; at least one.
// REQUIRES: items is not empty; chunks holds theirs.
[[nodiscard]] std::size_t items_with(std::size_t values, std::span<const WorkItem> items,
                                     const std::map<ChunkId, data::Chunk>& chunks);

}  // namespace surety::learn
