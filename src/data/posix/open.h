// Opens data files on this machine.
#pragma once

#include <string>

#include "data/reader.h"

namespace surety::data {

// An OpenFile for local paths. Relative paths start at `root`; empty means the working folder.
[[nodiscard]] OpenFile local_files(std::string root = {});

}  // namespace surety::data
