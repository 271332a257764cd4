#include "base/posix/temporary_folder.h"

#include <stdlib.h>

#include <string>
#include <system_error>

#include "base/check.h"

namespace surety::posix {

TemporaryFolder::TemporaryFolder(const std::filesystem::path& parent) {
  std::string name = (parent / "surety-XXXXXX").string();
  SURETY_CHECK(::mkdtemp(name.data()) != nullptr);
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;  // A destructor cannot report an error.
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace surety::posix
