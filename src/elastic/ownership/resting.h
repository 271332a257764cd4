// Chooses the workers that rest: they stay and keep the model, but have no chunk for the time
// being. So a smaller number of workers can be tried, and the larger number can be restored by
// moving chunks back.
//
// The newest workers rest. All their chunks move to others before the next iteration. So the number
// of workers that begin to rest at the same time is limited by the bytes that the others can
// receive.
//
// A pure function of its arguments.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>

#include "base/ids.h"

namespace surety::elastic {

// `staying`: ascending. `bytes`: size of the chunks that each worker owns; a worker that is not in
// the map has no chunks, so it rests already. `working`: the number of workers that will have
// chunks in the end. ENSURES: no more than staying - working rest, so at least one works. If too
// many work, at least one of those with chunks begins to rest. More than one begin only if their
// bytes are at most bytes_max for each worker that works in the end. O(workers).
[[nodiscard]] std::set<WorkerId> resting(std::span<const WorkerId> staying,
                                         const std::map<WorkerId, std::uint64_t>& bytes,
                                         std::uint32_t working, std::uint64_t bytes_max);

}  // namespace surety::elastic
