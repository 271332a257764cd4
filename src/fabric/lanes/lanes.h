// Lanes: one description of the transfers of slices, for pushes and pulls.
//
// An operation sums the vectors of its sources and gives the sum to its sinks. The vector is cut
// into lanes. The slice of a lane is summed at one worker, its hub: every source sends its part to
// the hub, and the hub sends the sum to every sink. No worker sends to itself.
//   push (reduce)       sources: the members; sinks: the owner; hubs: aggregators, or the owner for
//                       the part that goes directly
//   pull (distribute)   sources: the owner; sinks: the members; hubs: relays, or the owner
// Each slice travels two hops at most. The shares of the hubs follow the port speeds
// (fabric/network/shares.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fabric/allreduce/schedule.h"
#include "fabric/network/shares.h"

namespace surety::fabric {

struct Operation {
  std::vector<WorkerId> sources{};  // Ascending, not empty; also the order of summation.
  std::vector<WorkerId> sinks{};    // Ascending, not empty.
  std::uint64_t elements = 0;       // Length of the vector.
};

inline constexpr std::uint32_t kLanesMax = 1u << 14;

struct Lane {
  WorkerId hub;
  Slice slice;  // It has at least one element.
  friend bool operator==(const Lane&, const Lane&) = default;
};

// One of `blocks` parts of a vector. They differ by at most one element, the longer ones first.
// REQUIRES: block < blocks.
[[nodiscard]] Slice block_slice(std::uint64_t elements, std::uint32_t blocks, std::uint32_t block);

// Cuts a slice by shares. Boundaries are rounded to elements, empty lanes are omitted, and
// neighbouring lanes of one hub are joined. REQUIRES: fractions >= 0 with a positive sum.
[[nodiscard]] std::vector<Lane> cut_lanes(Slice whole, const std::vector<Share>& shares);

// The shares of a plan, for cut_lanes(). The part that goes directly has the operation's owner as
// its hub.
[[nodiscard]] std::vector<Share> hubs_of(const SharePlan& plan, WorkerId owner);

// The messages of an operation: contributions to hubs, then results from hubs. `step` is the index
// of the lane.
[[nodiscard]] std::vector<Transfer> transfers_of(const Operation& operation,
                                                 const std::vector<Lane>& lanes);

// Checks that lanes lie within the slice, follow one another and cover it, and that there are at
// most kLanesMax. Returns an empty string if so, otherwise a description of the fault.
[[nodiscard]] std::string lane_error(Slice whole, const std::vector<Lane>& lanes);

}  // namespace surety::fabric
