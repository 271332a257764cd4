// Opens data files on this machine.
#pragma once

#include <optional>
#include <string>

#include "data/reader.h"

namespace surety::data {

// An OpenFile for local paths. Relative paths start at `root`; none means the working folder.
[[nodiscard]] OpenFile local_files(std::optional<std::string> root = {});

}  // namespace surety::data
