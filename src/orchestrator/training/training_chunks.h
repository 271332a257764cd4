// How a job's data is cut into chunks, for training and for validation.
#pragma once

#include <cstdint>
#include <vector>

#include "data/sources/chunk.h"
#include "job/job.h"

namespace surety::orchestrator {

// The data are cut into pieces of about train.chunk_bytes, which do not depend on the number of
// workers. Each piece is one chunk, or several, so that there are enough chunks for `workers`. With
// micro-tasks there are as many chunks as tasks, because whole tasks move. Pure, like data::cut().
[[nodiscard]] std::vector<data::ChunkRange> cut_training_chunks(
    const job::TrainSpec& train, const std::vector<data::SourceInfo>& sources,
    std::uint32_t workers);

// Without separate validation data, one in this many pieces is held out.
inline constexpr std::uint32_t kHeldOutShare = 5;
struct DividedChunks {
  std::vector<data::ChunkRange> training;    // Chunks by ascending id.
  std::vector<data::ChunkRange> validation;  // Chunks by ascending id; at least one.
};
// The chunks of cut_training_chunks(). The seed chooses which pieces are held out, so the same
// samples are held out for any number of workers. REQUIRES: there is a sample.
[[nodiscard]] DividedChunks hold_out(const job::TrainSpec& train,
                                     const std::vector<data::SourceInfo>& sources,
                                     std::uint32_t workers);

// Chunks of separate validation data, which is the job's source with this number.
[[nodiscard]] std::vector<data::ChunkRange> validation_chunks(const job::TrainSpec& train,
                                                              const data::SourceInfo& validation,
                                                              std::uint32_t source,
                                                              std::uint32_t workers);

}  // namespace surety::orchestrator
