// The entry of each chunk in a directory (directory.h), and the messages about chunks to workers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/ids.h"

namespace surety::elastic {

struct ChunkSize {
  ChunkId id;  // Dense from 0: id.value is its index.
  std::uint32_t samples = 0;
  std::uint64_t bytes = 0;
};

enum class Ownership : std::uint8_t { kOwned, kHanding, kOrphan };

struct Entry {
  Ownership state = Ownership::kOrphan;
  // kOwned: the owner. kHanding: the receiver. kOrphan: the last owner or receiver (meaningless at
  // version 0).
  WorkerId owner{};
  // kHanding: the worker that still has samples and state, if any.
  std::optional<WorkerId> holder{};
  // Raised at every grant, at every reclaim and when an owner dies.
  std::uint32_t version = 0;
  std::uint32_t samples_done = 0;  // Samples committed in this pass.
  bool cut_short = false;          // The last pass did not visit all of its samples.
};

// Gives a chunk to another worker at this boundary.
struct Grant {
  ChunkId chunk;
  std::uint32_t version = 0;
  WorkerId to;
  // The worker that has the per-sample state. If absent, no worker has it: the samples are read
  // from their source, and the state from the last checkpoint. Without a checkpoint the state
  // starts from zero.
  std::optional<WorkerId> from;
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

// The first `samples` samples of `work`: the work that is done if a worker ended its iteration
// early. REQUIRES: `work` has that many samples.
[[nodiscard]] std::vector<Work> first_of(std::span<const Work> work, std::uint64_t samples);

}  // namespace surety::elastic
