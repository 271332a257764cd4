// How a job's training data is cut into chunks.
#pragma once

#include <cstdint>
#include <vector>

#include "data/sources/chunk.h"
#include "job/job.h"

namespace surety::orchestrator {

// With micro-tasks there are as many chunks as tasks, whatever train.chunk_bytes is, because
// whole tasks move. Otherwise chunks have about train.chunk_bytes, and there are enough of them for
// `workers`. Pure, as data::cut() is.
[[nodiscard]] std::vector<data::ChunkRange> training_chunks(
    const job::TrainSpec& train, const std::vector<data::SourceInfo>& sources,
    std::uint32_t workers);

}  // namespace surety::orchestrator
