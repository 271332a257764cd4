// A stream of bytes to read: from a file or an inflater.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "base/result.h"

namespace surety {

class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // Reads up to buffer.size() bytes; 0 means the end (also for an empty buffer). InvalidInput: the
  // bytes are damaged or cannot be read. Unavailable: it may work later.
  [[nodiscard]] virtual Result<std::size_t> read(std::span<std::byte> buffer) = 0;

  // A path or a URL, for error messages.
  [[nodiscard]] virtual const std::string& name() const = 0;
};

}  // namespace surety
