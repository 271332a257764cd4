// A disk that can be filled: a file system in memory, mounted on a folder for the life of the
// object.
#pragma once

#include <cstdint>
#include <filesystem>
#include <utility>

#include "base/result.h"

namespace surety::bench {

class SmallDisk {
 public:
  // Makes the folder. Unavailable if this machine does not allow mounting.
  [[nodiscard]] static Result<SmallDisk> mount(const std::filesystem::path& folder,
                                               std::uint64_t bytes);
  SmallDisk(SmallDisk&& other) noexcept;
  SmallDisk& operator=(SmallDisk&&) = delete;
  ~SmallDisk();

  void fill() const;  // Fills the disk to the last byte.
  void free() const;

 private:
  explicit SmallDisk(std::filesystem::path folder) : folder_(std::move(folder)) {}
  std::filesystem::path folder_;  // Empty after a move.
};

}  // namespace surety::bench
