// Opens data files on this machine, and finds out what they hold.
#pragma once

#include <string>

#include "data/reader.h"

namespace surety::data {

// An OpenFile for local paths; relative ones are taken from `root` (empty: the working folder).
[[nodiscard]] OpenFile local_files(std::string root = {});

}  // namespace surety::data
