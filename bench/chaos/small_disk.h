// A disk that can be filled: a file system in memory, mounted on a folder until this goes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <utility>

#include "base/result.h"

namespace surety::bench {

class SmallDisk {
 public:
  // Makes the folder. Unavailable: this machine lets us mount nothing.
  [[nodiscard]] static Result<SmallDisk> mount(const std::filesystem::path& folder,
                                               std::uint64_t bytes);
  SmallDisk(SmallDisk&& other) noexcept;
  SmallDisk& operator=(SmallDisk&&) = delete;
  ~SmallDisk();

  void fill() const;  // To the last byte.
  void free() const;

 private:
  explicit SmallDisk(std::filesystem::path folder) : folder_(std::move(folder)) {}
  std::filesystem::path folder_;  // Empty: moved from.
};

}  // namespace surety::bench
