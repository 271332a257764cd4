// The invariants of ownership, recomputed from the entries of a directory alone: nothing of the
// code that keeps them is used, so that a mistake in one cannot hide in the other.
//
//   - each chunk has one owner, or one receiver, or is an orphan, and that worker is here (live)
//   or,
//     for an orphan, is not;
//   - only a chunk in hand-over has a holder; it is here and is not the receiver;
//   - no more samples are done than there are; a chunk never granted (version 0) is untouched;
//   - who is leaving still owns, is to own or holds something: else it has departed.
#pragma once

#include <set>
#include <span>
#include <string>

#include "elastic/directory.h"

namespace surety::elastic {

// Empty when all hold, else what is wrong with the first that does not. `live` includes `leaving`.
[[nodiscard]] std::string ownership_violation(std::span<const Entry> entries,
                                              std::span<const ChunkSize> chunks,
                                              const std::set<WorkerId>& live,
                                              const std::set<WorkerId>& leaving);

}  // namespace surety::elastic
