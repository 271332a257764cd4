// Chooses the workers that rest: they stay and keep the model, but have no chunk for the time
// being. So a smaller number of workers can be tried, and the larger one is restored by moving
// chunks back.
//
// The newest workers rest. All their chunks go to others before the next iteration, so only as many
// begin to rest at a time as the others can take chunks from.
//
// A pure function of its arguments.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>

#include "base/ids.h"

namespace surety::elastic {

// `staying`: ascending. `bytes`: size of the chunks that each worker owns; a worker that is absent
// has none, so it rests already. `working`: how many are to have chunks in the end.
// ENSURES: no more than staying - working rest, so at least one works. If too many work, at least
// one of those with chunks begins to rest, and more than one only while their bytes are at most
// bytes_max for each worker that works in the end. O(workers).
[[nodiscard]] std::set<WorkerId> resting(std::span<const WorkerId> staying,
                                         const std::map<WorkerId, std::uint64_t>& bytes,
                                         std::uint32_t working, std::uint64_t bytes_max);

}  // namespace surety::elastic
