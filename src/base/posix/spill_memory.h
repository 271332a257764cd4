// Memory whose contents are in a file. The operating system keeps in memory what fits, and reads
// the rest from the file when it is used. So the contents may be larger than the memory of the
// machine. It is for large arrays that are written once and then read from front to back.
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

// Only one thread may use it.
class SpillMemory final : public std::pmr::memory_resource {
 public:
  // The file has no name, so nothing is left of it after any end of the process. InvalidInput if
  // the folder is missing, not writable, or on a file system without such files.
  [[nodiscard]] static Result<std::unique_ptr<SpillMemory>> create(
      const std::filesystem::path& folder);

  // Smaller allocations use ordinary memory, because most of a page would be wasted for each.
  static constexpr std::size_t kBytesMin = 64 << 10;

 private:
  explicit SpillMemory(Fd fd) : fd_(std::move(fd)) {}

  // Throws std::bad_alloc if the disk is full.
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override;
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override {
    return this == &other;
  }

  Fd fd_;
  std::uint64_t end_ = 0;  // End of the file, which only grows; freed memory becomes a hole.
  // Offset in the file for each allocation; do_allocate() adds, do_deallocate() removes.
  std::map<void*, std::uint64_t> offsets_;
};

}  // namespace surety::posix
