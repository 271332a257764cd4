// Memory whose contents lie in a file: the machine keeps of it what fits, and reads the rest again
// when it is looked at, so that there may be more of it than memory. For large arrays that are
// written once and then read from front to back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <memory_resource>
#include <utility>

#include "base/posix/fd.h"
#include "base/result.h"

namespace surety::posix {

// Not to be shared by threads.
class SpillMemory final : public std::pmr::memory_resource {
 public:
  // Its file has no name, so that nothing of it stays, however the process ends. InvalidInput where
  // the folder is missing, not writable, or on a file system that cannot have such files.
  [[nodiscard]] static Result<std::unique_ptr<SpillMemory>> create(
      const std::filesystem::path& folder);

  // Bytes of the file in use.
  [[nodiscard]] std::uint64_t spilled() const { return spilled_; }

  // Smaller allocations are ordinary memory: a page of the file each would waste most of it.
  static constexpr std::size_t kBytesMin = 64 << 10;

 private:
  explicit SpillMemory(Fd fd) : fd_(std::move(fd)) {}

  // Throws std::bad_alloc where the disk is full.
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override;
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override {
    return this == &other;
  }

  Fd fd_;
  std::uint64_t end_ = 0;  // Of the file: it only grows, and what is freed becomes a hole.
  std::uint64_t spilled_ = 0;
  std::map<void*, std::uint64_t> offsets_;  // In the file; do_allocate() adds.
};

}  // namespace surety::posix
