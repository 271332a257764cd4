#include "data/posix/open.h"

#include <filesystem>
#include <utility>

#include "base/posix/file.h"

namespace surety::data {

OpenFile local_files(std::string root) {
  return [root = std::move(root)](const std::string& path) {
    // operator/ does not change an absolute path, and an empty root does not change the path.
    return posix::open_file(std::filesystem::path(root) / path);
  };
}

}  // namespace surety::data
