#include "data/posix/open.h"

#include <filesystem>
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

}  // namespace surety::data
