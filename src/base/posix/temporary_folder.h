// A folder for the files of one test, removed with all that is in it.
#pragma once

#include <filesystem>

namespace surety::posix {

class TemporaryFolder {
 public:
  TemporaryFolder();  // A new one, where the system keeps temporary files.
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace surety::posix
