// The invariants of ownership, recomputed from the entries of a directory alone. It uses no code of
// the directory, so that a mistake in one cannot hide in the other.
//
//   - each chunk has one owner, or one receiver, or is an orphan; the owner or receiver is live,
//     and the last owner of an orphan is not;
//   - only a chunk in hand-over has a holder, which is live and is not the receiver;
//   - no more samples are done than there are; no sample of a chunk that was never granted (version
//     0) is done;
//   - a leaving worker owns, receives or holds a chunk; otherwise it has departed.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>

#include "elastic/ownership/ownership.h"

namespace surety::elastic {

// Returns the first violation; none if all hold. `live` includes `leaving`.
[[nodiscard]] std::optional<std::string> ownership_violation(std::span<const Entry> entries,
                                                             std::span<const ChunkSize> chunks,
                                                             const std::set<WorkerId>& live,
                                                             const std::set<WorkerId>& leaving);

}  // namespace surety::elastic
