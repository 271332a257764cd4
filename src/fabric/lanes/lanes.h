// Lanes: one description of who sends which slice to whom, for a push, a pull and an all-reduce.
//
// An operation sums the vectors of its sources and gives the sum to its sinks. The vector is cut
// into blocks, each block into lanes; the slice of a lane is summed at one host, its hub: every
// source sends the hub its part, the hub sends the sum to every sink. Nobody sends to itself. So
//   push (reduce)       sources: the members; sinks: the owner; hubs: aggregators, or the owner for
//                       what goes directly
//   pull (distribute)   sources: the owner; sinks: the members; hubs: relays, or the owner
//   all-reduce          sources and sinks: the members; hubs: members
// and each slice travels two hops at most. The lanes of a block are chosen when it starts, so that
// the shares follow the ports (fabric/core/shares.h).
//
// A replica of an owner hears the same sums, to the bit, in one of two ways. As one more sink it
// hears them from the hubs, each of which then sends its share twice: with K members a K-th of the
// vector more out of every port. As a mirror it hears them from the first sink, slice by slice as
// they come: a third hop, out of a port that has nothing else to send in a push. The second is
// cheaper unless that port is slow or busy with pulls.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fabric/core/shares.h"
#include "fabric/schedule.h"

namespace surety::fabric {

struct Operation {
  std::vector<HostId> sources{};  // Ascending, not empty: the order of summation.
  std::vector<HostId> sinks{};    // Ascending, not empty.
  std::uint64_t elements = 0;     // Of the vector.
  std::uint32_t blocks = 1;       // At least 1, at most kLaneBlocksMax.
  std::vector<HostId> mirrors{};  // Ascending; none is a sink.
};
// Whether it ends with the sum: sinks and mirrors do.
[[nodiscard]] bool hears(const Operation& operation, HostId host);

inline constexpr std::uint32_t kLaneBlocksMax = 1u << 14;
inline constexpr std::uint32_t kLanesMax = 1u << 14;  // Of one block.

struct Lane {
  HostId hub;
  Slice slice;  // Within its block; not empty.
  friend bool operator==(const Lane&, const Lane&) = default;
};

// Blocks differ by at most one element, the longer ones first. REQUIRES: block < operation.blocks.
[[nodiscard]] Slice block_slice(const Operation& operation, std::uint32_t block);

// Cuts a block by shares: elements are rounded so that they add up, lanes that come out empty are
// left out, neighbours of one hub are joined. REQUIRES: fractions >= 0 with a positive sum.
[[nodiscard]] std::vector<Lane> cut_block(const Operation& operation, std::uint32_t block,
                                          const std::vector<Share>& shares);

// The shares of a direct or flat plan, as cut_block() wants them: what goes directly has the
// operation's owner for a hub. REQUIRES: the shape is kDirect or kFlat.
[[nodiscard]] std::vector<Share> hubs_of(const SharePlan& plan, HostId owner);

// Which part of an all-reduce each member sums: with t seconds for a byte of the vector and the
// slower direction C_i of its port, member i carries (1 - s_i) + (K - 1) s_i <= t C_i both ways, so
// s_i = (t C_i - 1) / (K - 2), and the shares sum to 1 at the smallest t; a member too slow for a
// share has none and only sends and hears its vector. With K = 2 every share loads alike: halves.
// REQUIRES: members ascending, with positive ports. O(K log K).
[[nodiscard]] std::vector<Share> all_reduce_shares(const std::vector<Port>& ports,
                                                   const std::vector<HostId>& members);

// The messages of a block: contributions to hubs, then results from hubs, then those that the first
// sink passes on to mirrors. step is lane's index.
[[nodiscard]] std::vector<Transfer> transfers_of(const Operation& operation,
                                                 const std::vector<Lane>& lanes);

// Whether these are lanes of the block: within it, one after another, together all of it. Empty
// when they are, else what is wrong. For lanes that came over the wire.
[[nodiscard]] std::string misplaced(const Operation& operation, std::uint32_t block,
                                    const std::vector<Lane>& lanes);

// Independent check of a block's transfers: runs them on sets of inputs instead of numbers; every
// sink and mirror must end with every element, and every source counted in it once. Empty when it
// is so, else what is wrong. Knows nothing of lanes or hubs.
[[nodiscard]] std::string check_transfers(const Operation& operation, Slice block,
                                          const std::vector<Transfer>& transfers);

}  // namespace surety::fabric
