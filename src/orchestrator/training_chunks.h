// How a job's training data is cut into chunks.
#pragma once

#include <cstdint>
#include <vector>

#include "data/chunk.h"
#include "orchestrator/job.h"

namespace surety::orchestrator {

// With micro-tasks as many chunks as there are tasks, whatever train.chunk_bytes says: what moves
// is a whole task. Else about as large as that says, and enough of them for so many workers. Pure,
// as data::cut() is.
[[nodiscard]] std::vector<data::ChunkRange> training_chunks(
    const TrainSpec& train, const std::vector<data::SourceInfo>& sources, std::uint32_t workers);

}  // namespace surety::orchestrator
