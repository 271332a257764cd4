// What a directory (directory.h) keeps of each chunk, and what it says to workers about it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/ids.h"

namespace surety::elastic {

struct ChunkSize {
  ChunkId id;  // Dense from 0: id.value is its place.
  std::uint32_t samples = 0;
  std::uint64_t bytes = 0;
};

enum class Ownership : std::uint8_t { kOwned, kHanding, kOrphan };

struct Entry {
  Ownership state = Ownership::kOrphan;
  WorkerId owner{};  // kOwned: the owner; kHanding: who receives; kOrphan: who had it,
                     // or was to have it (meaningless at version 0: nobody yet).
  std::optional<WorkerId> holder{};  // kHanding: who still has samples and state; none: nobody.
  std::uint32_t version = 0;         // Raised at every grant, reclaim and death of an owner.
  std::uint32_t samples_done = 0;    // Committed in this pass.
  bool cut_short = false;            // The last pass did not visit all of its samples.
  bool state_lost = false;  // Its per-sample state starts again from zero: lost with a worker
                            // at the last change of hands. A later one with state clears it.
};

// A chunk changes hands at this boundary.
struct Grant {
  ChunkId chunk;
  std::uint32_t version = 0;
  WorkerId to;
  std::optional<WorkerId> from;  // Has the per-sample state; none: read the samples, state is zero.
  friend bool operator==(const Grant&, const Grant&) = default;
};

// Samples of one chunk for one worker in one iteration.
struct Work {
  ChunkId chunk;
  std::uint32_t version = 0;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  friend bool operator==(const Work&, const Work&) = default;
};

// What a worker has done that ended early: the first `samples` of its work.
// REQUIRES: no more than there are.
[[nodiscard]] std::vector<Work> first_of(std::span<const Work> work, std::uint64_t samples);

}  // namespace surety::elastic
