// A schedule: which bytes travel from whom to whom, in one synchronous round, as plain data.
//
// An all-reduce over owner shards: the flat vector is cut into one shard per worker; in the first
// half every worker sends each owner its slice of the update, the owner sums the slices, weighted, in
// worker order (so that all runs add in the same order and the result is the same to the bit); in the
// second half the owner sends its sum to everyone. Each worker sends and receives 2 (K-1)/K of the
// vector, which is the least possible.
//
// The schedule is a pure function of the members and the size, so that every worker makes it for
// itself; an executor (executor.h) carries it out, a checker (check_schedule) proves it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"

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

struct Schedule {
  std::vector<WorkerId> members;    // Ascending; the order of summation.
  std::vector<Slice> shards;        // shards[i] is owned by members[i]; together the whole vector.
  std::vector<Transfer> transfers;  // By step.
};

// REQUIRES: members ascending, not empty. Shards differ by at most one element.
[[nodiscard]] Schedule all_reduce(const std::vector<WorkerId>& members, std::uint64_t elements);

// From the holders, who all have the same vector, to those who have none: holder i sends slice i to
// every receiver. REQUIRES: both ascending, disjoint, holders not empty.
[[nodiscard]] Schedule distribute(const std::vector<WorkerId>& holders,
                                  const std::vector<WorkerId>& receivers, std::uint64_t elements);

// Independent check: every member's input reaches every member's output exactly once (all_reduce).
// Empty when it does, else what is wrong.
[[nodiscard]] std::string check_schedule(const Schedule& schedule, std::uint64_t elements);

}  // namespace surety::fabric
