#include "orchestrator/training/training_chunks.h"

#include <limits>

namespace surety::orchestrator {
namespace {

// About how many chunks each worker should have, so that the load can be balanced when workers join
// or leave: 20 chunks per worker balance to 5 % (measured when the elastic part was designed).
constexpr std::uint32_t kChunksPerWorker = 20;

}  // namespace

std::vector<data::ChunkRange> training_chunks(const job::TrainSpec& train,
                                              const std::vector<data::SourceInfo>& sources,
                                              std::uint32_t workers) {
  constexpr std::uint64_t kAnySize = std::numeric_limits<std::uint64_t>::max();
  if (train.micro_tasks > 0) return data::cut(sources, kAnySize, train.micro_tasks);
  return data::cut(sources, train.chunk_bytes, kChunksPerWorker * workers);
}

}  // namespace surety::orchestrator
