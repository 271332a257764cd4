#include "data/posix/open.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "base/posix/file.h"

namespace surety::data {

OpenFile local_files(std::optional<std::string> root) {
  return [root = std::move(root)](const std::string& path) {
    // operator/ does not change an absolute path.
    return posix::open_file(root ? std::filesystem::path(*root) / path
                                 : std::filesystem::path(path));
  };
}

bool is_missing(const SourceUrl& url) {
  std::error_code error;
  return !url.path.empty() && !std::filesystem::exists(url.path, error) && !error;
}

}  // namespace surety::data
