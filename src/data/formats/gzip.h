// Gzip: files that begin with its magic bytes are inflated while they are read; other files do not
// change.
#pragma once

#include <memory>

#include "base/byte_source.h"
#include "base/result.h"

namespace surety::data {

// A source with the same bytes, or with the inflated bytes if they begin with 1f 8b. Several gzip
// members in sequence are one stream; anything else behind a member is an error. Reading fails with
// InvalidInput (name, compressed byte, what is wrong) if the stream is truncated or damaged. Bytes
// that were returned before such an error have not been checked by a checksum. Memory: about 300
// KiB, regardless of the contents.
[[nodiscard]] Result<std::unique_ptr<ByteSource>> inflated(std::unique_ptr<ByteSource> source);

}  // namespace surety::data
