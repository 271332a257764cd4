// Checksums of single samples, from which the checksum of any chunk follows. So chunks can be cut
// after the source was read once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/sample.h"

namespace surety::data {

// Appends a checksum for each sample of the block. It is the same for every file format. The 32
// bits keep it small: it is stored for every sample of a data set while its chunks are cut.
void append_checksums(const Samples& block, const Schema& schema,
                      std::vector<std::uint32_t>& checksums);

// The checksum of a chunk whose samples have these checksums, in order.
[[nodiscard]] std::uint64_t chunk_checksum(std::span<const std::uint32_t> checksums);
// The same, of the samples themselves.
[[nodiscard]] std::uint64_t chunk_checksum(const Samples& samples, const Schema& schema);

}  // namespace surety::data
