// Gzip: files that begin with its magic are inflated while they are read, others go through as they
// are.
#pragma once

#include <memory>

#include "base/byte_source.h"
#include "base/result.h"

namespace surety::data {

// The same bytes, or what they inflate to where they begin with 1f 8b. Several gzip members behind
// each other are one stream; anything else behind a member is an error. Reading fails with
// InvalidInput (name, compressed byte, what is wrong) where the stream is truncated or damaged;
// what was read before has passed no checksum yet. Memory: about 300 KiB, whatever the file says.
[[nodiscard]] Result<std::unique_ptr<ByteSource>> inflated(std::unique_ptr<ByteSource> source);

}  // namespace surety::data
