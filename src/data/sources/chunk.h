// Chunks: the pieces of the data set that workers own, and that move between them.
//
// The data set is cut once, in the order of the sources, into runs of consecutive samples. A chunk
// never spans two sources. Each chunk keeps the origin of its samples, so that any process can read
// them again. What a solver has learned about each sample (a dual variable) is stored with the
// samples, and moves with them.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory_resource>
#include <optional>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "data/sample.h"
#include "data/sources/source_info.h"

namespace surety::data {

// The origin of the samples of a chunk.
struct ChunkRange {
  ChunkId id;                // Index in the vector that cut() returned.
  std::uint32_t source = 0;  // Index into the sources.
  std::uint64_t first = 0;   // Index of the first sample within the source.
  std::uint32_t count = 0;   // Number of samples, at least 1.
  std::uint64_t bytes = 0;   // Estimate of the size in memory.
  // chunk_checksum() of the samples (sample_checksums.h); none if it is not known.
  std::optional<std::uint64_t> content{};
};

struct Chunk {
  ChunkRange range;
  Samples samples;  // range.count samples; read-only once loaded.
  // Solver state: range.count floats, one for each sample; empty means all zero.
  std::vector<float> state;
};

// Solver states of chunks, as checkpoints store them.
using ChunkStates = std::map<ChunkId, std::vector<float>>;

// Cuts the sources into pieces of about bytes_target bytes (at least one sample each), but into no
// fewer than pieces_min pieces in total if there are that many samples. Each piece is cut into
// `parts` chunks, or into single samples if it has fewer. So the samples of a piece do not depend
// on `parts`. Pure: every process that calls it with the same sources gets the same chunks, and, if
// it has read them, the checksums of their samples.
// REQUIRES: parts > 0. ENSURES: every sample is in exactly one chunk.
[[nodiscard]] std::vector<ChunkRange> cut(const std::vector<SourceInfo>& sources,
                                          std::uint64_t bytes_target, std::uint32_t pieces_min,
                                          std::uint32_t parts = 1);

struct Loading {
  // The memory that holds the samples. It must outlive them.
  std::pmr::memory_resource* memory = std::pmr::get_default_resource();
  // If another thread sets it, reading ends after at most about one more chunk. It may be null.
  const std::atomic<bool>* stop = nullptr;
};

// Reads the samples of these chunks, in one pass over each source that they need. REQUIRES: ranges
// ascending by id.
// InvalidInput if a source is shorter than before, has new features or classes, or other samples
// than a range's `content` states. Unavailable if the memory is full, or reading was stopped.
[[nodiscard]] Result<std::vector<Chunk>> load_chunks(const std::vector<SourceInfo>& sources,
                                                     const std::vector<ChunkRange>& ranges,
                                                     const OpenFile& open,
                                                     const Loading& loading = {});

// Reads each source that has some of these chunks once, from its beginning to its end, and passes
// the samples of the chunks to `visit`, in parts: the range of a part states which samples of the
// chunk it has. Memory: one block of samples. An error of `visit` ends the reading. REQUIRES:
// ranges ascending by id; the contents of the sources are known. InvalidInput as for load_chunks(),
// and after a source whose samples are not those of `content`. Then the parts are not to be used.
[[nodiscard]] Result<void> visit_chunks(const std::vector<SourceInfo>& sources,
                                        const std::vector<ChunkRange>& ranges, const OpenFile& open,
                                        const std::function<Result<void>(Chunk part)>& visit);

}  // namespace surety::data
