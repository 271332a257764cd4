// Independent checks of the schedules of synchronous rounds (fabric/allreduce/schedule.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fabric/allreduce/schedule.h"

namespace surety::fabric {

// Checks an all-reduce: every member's input reaches every member's output exactly once. Returns an
// empty string if so, otherwise a description of the fault. It runs the transfers, in order of
// step, on sets of inputs instead of numbers, and shares no code with all_reduce(). O(K^3) for K
// members.
[[nodiscard]] std::string check_schedule(const Schedule& schedule, std::uint64_t elements);

// The same check for a distribution: every member that is not a holder gets every element exactly
// once, from a holder.
[[nodiscard]] std::string check_distribution(const Schedule& schedule,
                                             const std::vector<WorkerId>& holders,
                                             std::uint64_t elements);

}  // namespace surety::fabric
