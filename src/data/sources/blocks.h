// Reads a source to its end, in blocks of samples.
#pragma once

#include <cstdint>
#include <functional>

#include "base/result.h"
#include "data/reader.h"

namespace surety::data {

// Passes every block of the source to `visit`, and returns the checksum of all samples in order. It
// is the same for every file format. An error of `visit` ends the reading. Memory: one block.
[[nodiscard]] Result<std::uint64_t> read_blocks(
    Reader& reader, const std::function<Result<void>(const Samples& block)>& visit);

}  // namespace surety::data
