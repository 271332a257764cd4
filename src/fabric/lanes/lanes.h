// Lanes: one description of the transfers of slices, for a push, a pull and an all-reduce.
//
// An operation sums the vectors of its sources and gives the sum to its sinks. The vector is cut
// into blocks, and each block into lanes. The slice of a lane is summed at one host, its hub: every
// source sends its part to the hub, and the hub sends the sum to every sink. No host sends to
// itself.
//   push (reduce)       sources: the members; sinks: the owner; hubs: aggregators, or the owner for
//                       the part that goes directly
//   pull (distribute)   sources: the owner; sinks: the members; hubs: relays, or the owner
//   all-reduce          sources and sinks: the members; hubs: members
// Each slice travels two hops at most, and a third one to a mirror. The lanes of a block are chosen
// when it starts, so that the shares follow the port speeds (fabric/network/shares.h).
//
// Jobs use only pushes and pulls, of one block each and without mirrors. Only the benchmark of the
// fabric (bench/fabric) uses all-reduces, several blocks, and a host with a copy of the owner's
// vector. This code is not in the benchmark, because a host does its part of all these operations
// with the same machine (executor.h).
//
// The copy receives the same sums, to the bit, in one of two ways:
//   additional sink     The hubs send the sums to it. So each hub sends its share twice: with K
//                       members, every port sends one K-th of the vector more.
//   mirror              The first sink sends the sums to it, slice by slice as they arrive. In a
//                       push, the port of this sink sends no other data. So a mirror is cheaper,
//                       unless that port is slow or busy with pulls.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fabric/allreduce/schedule.h"
#include "fabric/network/shares.h"

namespace surety::fabric {

struct Operation {
  std::vector<HostId> sources{};  // Ascending, not empty; also the order of summation.
  std::vector<HostId> sinks{};    // Ascending, not empty.
  std::uint64_t elements = 0;     // Length of the vector.
  std::uint32_t blocks = 1;       // At least 1, at most kLaneBlocksMax.
  std::vector<HostId> mirrors{};  // Ascending; none is a sink.
};
// Whether the host receives the sum, as sinks and mirrors do.
[[nodiscard]] bool is_recipient(const Operation& operation, HostId host);

inline constexpr std::uint32_t kLaneBlocksMax = 1u << 14;
inline constexpr std::uint32_t kLanesMax = 1u << 14;  // Limit for one block.

struct Lane {
  HostId hub;
  Slice slice;  // Within its block; not empty.
  friend bool operator==(const Lane&, const Lane&) = default;
};

// Blocks differ by at most one element, the longer ones first. REQUIRES: block < operation.blocks.
[[nodiscard]] Slice block_slice(const Operation& operation, std::uint32_t block);

// Cuts a block by shares. Boundaries are rounded to elements, empty lanes are omitted, and
// neighbouring lanes of one hub are joined. REQUIRES: fractions >= 0 with a positive sum.
[[nodiscard]] std::vector<Lane> cut_block(const Operation& operation, std::uint32_t block,
                                          const std::vector<Share>& shares);

// The shares of a plan, for cut_block(). The part that goes directly has the operation's owner as
// its hub.
[[nodiscard]] std::vector<Share> hubs_of(const SharePlan& plan, HostId owner);

// The messages of a block: contributions to hubs, then results from hubs, then the results that the
// first sink passes on to mirrors. `step` is the index of the lane.
[[nodiscard]] std::vector<Transfer> transfers_of(const Operation& operation,
                                                 const std::vector<Lane>& lanes);

// Checks lanes that were received over the wire: they must lie within the block, follow one another
// and cover it. Returns an empty string if they do, otherwise a description of the fault.
[[nodiscard]] std::string lane_error(const Operation& operation, std::uint32_t block,
                                     const std::vector<Lane>& lanes);

}  // namespace surety::fabric
