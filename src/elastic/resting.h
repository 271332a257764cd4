// Who rests: workers that stay, and keep the model, but have no chunk for the time being. So a
// smaller number of workers can be tried, and the larger one comes back as soon as chunks do.
//
// The newest rest. Their chunks all go to others before the next iteration, so only as many begin
// to rest at a time as the others can take chunks from.
//
// A pure function of its arguments.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>

#include "base/ids.h"

namespace surety::elastic {

// `staying`: ascending. `bytes`: of the chunks that each owns; absent: none, so that it rests
// already. `working`: how many are to have chunks in the end.
// ENSURES: no more than staying - working rest, so at least one works; of those that have chunks at
// least one begins to rest where too many work, and more than one only while their bytes are at
// most bytes_max for each that works in the end. O(workers).
[[nodiscard]] std::set<WorkerId> resting(std::span<const WorkerId> staying,
                                         const std::map<WorkerId, std::uint64_t>& bytes,
                                         std::uint32_t working, std::uint64_t bytes_max);

}  // namespace surety::elastic
