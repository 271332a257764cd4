// A folder for temporary files. The destructor removes it with all its contents.
#pragma once

#include <filesystem>

namespace surety::posix {

class TemporaryFolder {
 public:
  // Creates a new folder in `parent`, by default the system's folder for temporary files. REQUIRES:
  // we may write to `parent`.
  explicit TemporaryFolder(
      const std::filesystem::path& parent = std::filesystem::temp_directory_path());
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace surety::posix
