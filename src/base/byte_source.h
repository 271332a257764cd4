// A stream of bytes to read: from a file, memory or an inflater.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace surety {

class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // Reads up to buffer.size() bytes; 0 means the end (also for an empty buffer).
  [[nodiscard]] virtual Result<std::size_t> read(std::span<std::byte> buffer) = 0;

  // A path or a URL, for error messages.
  [[nodiscard]] virtual const std::string& name() const = 0;
};

// Bytes in memory, for tests, fuzzers and generated data.
class MemorySource final : public ByteSource {
 public:
  MemorySource(std::string name, std::vector<std::byte> bytes)
      : name_(std::move(name)), bytes_(std::move(bytes)) {}

  [[nodiscard]] Result<std::size_t> read(std::span<std::byte> buffer) override {
    const std::size_t count = std::min(buffer.size(), bytes_.size() - at_);
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(at_), count, buffer.begin());
    at_ += count;
    return count;
  }
  [[nodiscard]] const std::string& name() const override { return name_; }

 private:
  std::string name_;
  std::vector<std::byte> bytes_;
  std::size_t at_ = 0;
};

}  // namespace surety
