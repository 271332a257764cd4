// In which order a linear model takes its work items, and which belong together.
#pragma once

#include <cstdint>
#include <vector>

#include "learn/local_work.h"

namespace surety::learn {

// The items of each of work.tasks, none of them without any: chunks dealt out in turn, so that the
// same task has the same ones while the worker has. A task's chunks come in random order, which
// changes with the pass, and the items of a chunk in theirs: visits of a chunk do not depend on how
// many items it was cut into.
// REQUIRES: work.tasks >= 1. O(items log items).
[[nodiscard]] std::vector<std::vector<WorkItem>> items_of_tasks(const LocalWork& work,
                                                                std::uint64_t seed);

}  // namespace surety::learn
