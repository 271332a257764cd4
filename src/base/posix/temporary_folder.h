// A folder for the files of one test; it is removed with all its contents.
#pragma once

#include <filesystem>

namespace surety::posix {

class TemporaryFolder {
 public:
  TemporaryFolder();  // Creates a new folder in the system's folder for temporary files.
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace surety::posix
