// A schedule: which bytes travel from whom to whom, in one synchronous round, as plain data.
//
// An all-reduce over owner shards: the flat vector is cut into one shard per worker; in the first
// half every worker sends each owner its slice of the update, the owner sums the slices, weighted,
// in worker order (so that all runs add in the same order and the result is the same to the bit);
// in the second half the owner sends its sum to everyone. Each worker sends and receives 2 (K-1)/K
// of the vector, which is the least possible.
//
// The schedule is a pure function of the members and the size, so that every worker makes it for
// itself; an executor (executor.h) carries it out, a checker (check_schedule) proves it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"

namespace surety::fabric {

struct Slice {
  std::uint64_t first = 0;  // Element.
  std::uint64_t count = 0;
  friend bool operator==(const Slice&, const Slice&) = default;
};

enum class TransferKind : std::uint8_t {
  kContribution,  // Into the owner's sum.
  kResult,        // The owner's finished sum, over what the receiver had.
};

struct Transfer {
  std::uint32_t step = 0;  // Its place in the schedule: the tag of its message.
  TransferKind kind = TransferKind::kContribution;
  WorkerId from, to;
  Slice slice;
};

enum class ScheduleKind : std::uint8_t { kAllReduce, kDistribute };

struct Schedule {
  ScheduleKind kind = ScheduleKind::kAllReduce;
  std::vector<WorkerId> members{};  // Ascending; the order of summation.
  std::vector<Slice> shards{};      // shards[i] is owned by members[i]; together the whole vector.
  // By step, from 0; none is empty, each is its owner's whole shard.
  std::vector<Transfer> transfers{};
};

// REQUIRES: members ascending, not empty. Shards are as `shares` say, rounded; without any they
// differ by at most one element, the longer ones first. Within a half, step group d pairs member i
// with member (i + d) mod K, so that at no time all send to the same one. O(K^2).
// REQUIRES: check_shares().
[[nodiscard]] Schedule all_reduce(const std::vector<WorkerId>& members, std::uint64_t elements,
                                  const std::vector<double>& shares = {});
// That shares which came over the wire are none, or one for each, none negative, of 1 in all.
[[nodiscard]] Result<void> check_shares(const std::vector<double>& shares, std::size_t members);

// From the holders, who all have the same vector, to those who have none: holder i sends slice i to
// every receiver. Receivers own empty shards. REQUIRES: both ascending, disjoint, holders not
// empty.
[[nodiscard]] Schedule distribute(const std::vector<WorkerId>& holders,
                                  const std::vector<WorkerId>& receivers, std::uint64_t elements);

// Independent check of an all-reduce: every member's input reaches every member's output exactly
// once. Empty when it does, else what is wrong. Runs the transfers, in order of step, on sets of
// inputs instead of numbers; knows nothing of how all_reduce() chose them. O(K^3) for K members.
[[nodiscard]] std::string check_schedule(const Schedule& schedule, std::uint64_t elements);

// The same for a distribution: every member that is no holder gets every element exactly once, from
// a holder.
[[nodiscard]] std::string check_distribution(const Schedule& schedule,
                                             const std::vector<WorkerId>& holders,
                                             std::uint64_t elements);

}  // namespace surety::fabric
