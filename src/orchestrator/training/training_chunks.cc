#include "orchestrator/training/training_chunks.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>

#include "base/check.h"
#include "base/random.h"

namespace surety::orchestrator {
namespace {

// The approximate number of chunks for each worker, so that the load can be balanced when workers
// join or leave: 20 chunks per worker balance to 5 % (measured when the elastic part was designed).
constexpr std::uint32_t kChunksPerWorker = 20;

}  // namespace

std::vector<data::ChunkRange> cut_training_chunks(const job::TrainSpec& train,
                                                  const std::vector<data::SourceInfo>& sources,
                                                  std::uint32_t workers) {
  constexpr std::uint64_t kAnySize = std::numeric_limits<std::uint64_t>::max();
  if (train.micro_tasks) return data::cut(sources, kAnySize, *train.micro_tasks);
  return data::cut(sources, train.chunk_bytes, kChunksPerWorker * workers);
}

DividedChunks hold_out(std::vector<data::ChunkRange> chunks, std::uint64_t seed) {
  SURETY_CHECK(!chunks.empty());
  Random(seed).fork("held-out validation").shuffle(std::span(chunks));
  const auto held_out =
      static_cast<std::ptrdiff_t>(std::max<std::size_t>(1, chunks.size() / kHeldOutShare));
  DividedChunks divided;
  divided.validation.assign(chunks.begin(), chunks.begin() + held_out);
  divided.training.assign(chunks.begin() + held_out, chunks.end());
  for (auto* part : {&divided.training, &divided.validation}) {
    std::ranges::sort(*part, {}, &data::ChunkRange::id);
  }
  return divided;
}

std::vector<data::ChunkRange> validation_chunks(const job::TrainSpec& train,
                                                const data::SourceInfo& validation,
                                                std::uint32_t source, std::uint32_t workers) {
  std::vector<data::ChunkRange> chunks = data::cut({validation}, train.chunk_bytes, 2 * workers);
  for (data::ChunkRange& range : chunks) range.source = source;
  return chunks;
}

}  // namespace surety::orchestrator
