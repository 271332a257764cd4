// How a job's data is cut into chunks, for training and for validation.
#pragma once

#include <cstdint>
#include <vector>

#include "data/sources/chunk.h"
#include "job/job.h"

namespace surety::orchestrator {

// With micro-tasks there are as many chunks as tasks, for any train.chunk_bytes, because whole
// tasks move. Otherwise chunks have about train.chunk_bytes, and there are enough of them for
// `workers`. Pure, like data::cut().
[[nodiscard]] std::vector<data::ChunkRange> cut_training_chunks(
    const job::TrainSpec& train, const std::vector<data::SourceInfo>& sources,
    std::uint32_t workers);

// Without separate validation data, one in this many chunks is held out.
inline constexpr std::uint32_t kHeldOutShare = 5;
struct DividedChunks {
  std::vector<data::ChunkRange> training;    // Chunks by ascending id.
  std::vector<data::ChunkRange> validation;  // Chunks by ascending id; at least one.
};
// The seed chooses which chunks are held out. REQUIRES: chunks is not empty.
[[nodiscard]] DividedChunks hold_out(std::vector<data::ChunkRange> chunks, std::uint64_t seed);

// Chunks of separate validation data, which is the job's source with this number.
[[nodiscard]] std::vector<data::ChunkRange> validation_chunks(const job::TrainSpec& train,
                                                              const data::SourceInfo& validation,
                                                              std::uint32_t source,
                                                              std::uint32_t workers);

}  // namespace surety::orchestrator
