// Files with secrets, which only their user may read.
#pragma once

#include <filesystem>
#include <string_view>

#include "base/result.h"

namespace surety::posix {

// InvalidInput if it is no regular file, or if other users may read it. The message ends with
// `advice`.
[[nodiscard]] Result<void> check_private_file(const std::filesystem::path& file,
                                              std::string_view advice);

}  // namespace surety::posix
