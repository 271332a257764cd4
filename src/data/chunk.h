// Chunks: the pieces of the data set that workers own, and that move between them.
//
// The data set is cut once, in the order of the sources, into runs of consecutive samples; a chunk
// never spans two sources. Where a chunk's samples came from is kept, so that anyone can read them
// again; what a solver has learned about each sample (a dual variable) is kept beside the samples
// and travels with them.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "data/sample.h"
#include "data/source_info.h"

namespace surety::data {

// Where the samples of a chunk come from.
struct ChunkRange {
  ChunkId id;                // Its place in the vector that cut() returned.
  std::uint32_t source = 0;  // Index into the sources.
  std::uint64_t first = 0;   // Sample index within the source.
  std::uint32_t count = 0;   // Samples, at least 1.
  std::uint64_t bytes = 0;   // Estimate in memory.
};

struct Chunk {
  ChunkRange range;
  Samples samples;           // range.count of them; read-only once loaded.
  std::vector<float> state;  // Per-sample solver state, range.count floats, or empty: all zero.
};

// Cuts the sources into chunks of about bytes_target (at least one sample each), but into no fewer
// than chunks_min altogether where there are that many samples. Pure: every process that calls it
// with the same sources gets the same chunks. ENSURES: every sample is in exactly one chunk.
[[nodiscard]] std::vector<ChunkRange> cut(const std::vector<SourceInfo>& sources,
                                          std::uint64_t bytes_target, std::uint32_t chunks_min);

// Reads the samples of these chunks in one pass over each source that they need, and keeps them in
// `memory`, which must outlive them. REQUIRES: ranges ascending by id. InvalidInput where a source
// is shorter than it was, or holds features or classes that it did not have; Unavailable where
// `memory` is full.
[[nodiscard]] Result<std::vector<Chunk>> load_chunks(
    const std::vector<SourceInfo>& sources, const std::vector<ChunkRange>& ranges,
    const OpenFile& open, std::pmr::memory_resource* memory = std::pmr::get_default_resource());

}  // namespace surety::data
