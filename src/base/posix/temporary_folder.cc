#include "base/posix/temporary_folder.h"

#include <stdlib.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "base/check.h"

namespace surety::posix {

TemporaryFolder::TemporaryFolder(const std::filesystem::path& parent) {
  std::string name = (parent / "surety-XXXXXX").string();
  SURETY_CHECK(::mkdtemp(name.data()) != nullptr);
  path_ = name;
}

Result<std::unique_ptr<TemporaryFolder>> TemporaryFolder::create() {
  std::error_code error;
  const std::filesystem::path parent = std::filesystem::temp_directory_path(error);
  std::string name = (parent / "surety-XXXXXX").string();
  if (!error && ::mkdtemp(name.data()) == nullptr) {
    error = std::error_code(errno, std::generic_category());
  }
  if (!error) return std::unique_ptr<TemporaryFolder>(new TemporaryFolder(Existing{name}));
  return fail(ErrorCode::kUnavailable,
              "no folder for temporary files can be made in {}: {}; set TMPDIR to one that exists "
              "and may be written to",
              parent.empty() ? "TMPDIR" : parent.string(), error.message());
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;  // A destructor cannot report an error.
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace surety::posix
