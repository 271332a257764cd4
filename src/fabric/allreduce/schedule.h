// A schedule: all transfers of one synchronous round, with senders, recipients and bytes, as plain
// data.
//
// An all-reduce over parts: the flat vector is cut into one part for each worker. In the first half
// every worker sends each owner that slice of its update which is the owner's part. The owner adds
// the slices, weighted, in worker order, so that all runs add in the same order and the result is
// the same to the bit. In the second half the owner sends its sum to all others. Each worker sends
// and receives 2 (K-1)/K of the vector, which is the least possible.
//
// The schedule is a pure function of the members and the size, so every worker computes it by
// itself. An executor (executor.h) carries it out. The tests check schedules with a checker that
// runs them on sets of inputs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/ids.h"
#include "base/result.h"

namespace surety::fabric {

struct Slice {
  std::uint64_t first = 0;  // Index of its first element.
  std::uint64_t count = 0;
  friend bool operator==(const Slice&, const Slice&) = default;
};
// The elements of the slice. REQUIRES: `whole` has them.
template <typename T>
[[nodiscard]] std::span<T> part_of(std::span<T> whole, Slice slice) {
  return whole.subspan(slice.first, slice.count);
}

enum class TransferKind : std::uint8_t {
  kContribution,  // The owner adds it to its sum.
  kResult,        // The owner's finished sum; it replaces the receiver's values.
};

struct Transfer {
  std::uint32_t step = 0;  // Its index in the schedule, which is also the tag of its message.
  TransferKind kind = TransferKind::kContribution;
  WorkerId from;
  WorkerId to;
  Slice slice;
};

enum class ScheduleKind : std::uint8_t { kAllReduce, kDistribute };

struct Schedule {
  ScheduleKind kind = ScheduleKind::kAllReduce;
  std::vector<WorkerId> members{};  // Ascending, which is also the order of summation.
  // parts[i] is owned by members[i]; together they cover the vector.
  std::vector<Slice> parts{};
  // Ordered by step, from 0. None is empty, and each is the owner's whole part.
  std::vector<Transfer> transfers{};
};

// Whether each id is greater than the one before it.
[[nodiscard]] bool is_ascending(const std::vector<WorkerId>& ids);

// Makes the schedule of an all-reduce. Parts are proportional to `shares`, rounded. Without shares
// they differ by at most one element, the longer ones first. Within a half, step group d pairs
// member i with member (i + d) mod K, so that members never all send to the same recipient at the
// same time. O(K^2). REQUIRES: members are ascending and not empty; `shares` passes check_shares().
[[nodiscard]] Schedule all_reduce(const std::vector<WorkerId>& members, std::uint64_t elements,
                                  const std::vector<double>& shares = {});
// Checks shares that came over the wire: there are none, or one for each member; none is negative;
// their sum is 1. InvalidInput if they are otherwise.
[[nodiscard]] Result<void> check_shares(const std::vector<double>& shares, std::size_t members);

// Makes the schedule of a distribution, from holders, which all have the same vector, to receivers,
// which do not have it. Holder i sends slice i to every receiver. Receivers own empty parts.
// REQUIRES: both are ascending and disjoint; `holders` is not empty.
[[nodiscard]] Schedule distribute(const std::vector<WorkerId>& holders,
                                  const std::vector<WorkerId>& receivers, std::uint64_t elements);

}  // namespace surety::fabric
