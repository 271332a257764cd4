#include "orchestrator/training/training_chunks.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <span>
#include <utility>

#include "base/check.h"
#include "base/random.h"

namespace surety::orchestrator {
namespace {

// The approximate number of chunks for each worker, so that the load can be balanced when workers
// join or leave: 20 chunks per worker balance to 5 % (measured when the elastic part was designed).
constexpr std::uint32_t kChunksPerWorker = 20;

// More pieces represent the data better if neighbours in a file are alike. Fewer need less memory.
constexpr std::uint32_t kPiecesMin = 80;

// Each piece is cut into this many chunks.
std::vector<data::ChunkRange> cut(const job::TrainSpec& train,
                                  const std::vector<data::SourceInfo>& sources,
                                  std::uint32_t parts) {
  constexpr std::uint64_t kAnySize = std::numeric_limits<std::uint64_t>::max();
  if (train.micro_tasks) return data::cut(sources, kAnySize, *train.micro_tasks);
  return data::cut(sources, train.chunk_bytes, kPiecesMin, parts);
}

}  // namespace

std::vector<data::ChunkRange> cut_training_chunks(const job::TrainSpec& train,
                                                  const std::vector<data::SourceInfo>& sources,
                                                  std::uint32_t workers) {
  const std::size_t pieces = cut(train, sources, 1).size();
  const std::size_t wanted = std::size_t{kChunksPerWorker} * workers;
  const std::size_t parts = (wanted + pieces - 1) / std::max<std::size_t>(1, pieces);
  return cut(train, sources, static_cast<std::uint32_t>(std::max<std::size_t>(1, parts)));
}

DividedChunks hold_out(const job::TrainSpec& train, const std::vector<data::SourceInfo>& sources,
                       std::uint32_t workers) {
  std::vector<data::ChunkRange> pieces = cut(train, sources, 1);
  SURETY_CHECK(!pieces.empty());
  Random(train.seed).fork("held-out validation").shuffle(std::span(pieces));
  pieces.resize(std::max<std::size_t>(1, pieces.size() / kHeldOutShare));
  const auto place = [](const data::ChunkRange& range) {
    return std::pair{range.source, range.first};
  };
  std::ranges::sort(pieces, {}, place);
  const auto is_held_out = [&](const data::ChunkRange& chunk) {
    // The last piece that begins at the chunk or before it.
    const auto after = std::ranges::upper_bound(pieces, place(chunk), {}, place);
    if (after == pieces.begin()) return false;
    const data::ChunkRange& piece = *std::prev(after);
    return piece.source == chunk.source && chunk.first < piece.first + piece.count;
  };
  DividedChunks divided;
  for (data::ChunkRange& chunk : cut_training_chunks(train, sources, workers)) {
    (is_held_out(chunk) ? divided.validation : divided.training).push_back(chunk);
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
