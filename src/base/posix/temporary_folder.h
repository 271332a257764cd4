// A folder for temporary files. The destructor removes it with all its contents.
#pragma once

#include <filesystem>
#include <memory>
#include <utility>

#include "base/result.h"

namespace surety::posix {

class TemporaryFolder {
 public:
  // Creates a new folder in `parent`, by default the system's folder for temporary files. REQUIRES:
  // this process may write to `parent`.
  explicit TemporaryFolder(
      const std::filesystem::path& parent = std::filesystem::temp_directory_path());
  // Like the constructor, but returns an error instead of ending the program. Unavailable: the
  // system's folder for temporary files does not exist, or this process may not write to it.
  [[nodiscard]] static Result<std::unique_ptr<TemporaryFolder>> create();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  struct Existing {
    std::filesystem::path path;
  };
  explicit TemporaryFolder(Existing folder) : path_(std::move(folder.path)) {}

  std::filesystem::path path_;
};

}  // namespace surety::posix
