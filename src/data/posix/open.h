// Opens data files on this machine.
#pragma once

#include <optional>
#include <string>

#include "data/reader.h"
#include "data/url.h"

namespace surety::data {

// An OpenFile for local paths. Relative paths start at `root`; none means the working folder.
[[nodiscard]] OpenFile local_files(std::optional<std::string> root = {});

// Whether the source is a file that does not exist on this machine. Generators need no file. A file
// that cannot be examined counts as present: reading it then reports the error.
[[nodiscard]] bool is_missing(const SourceUrl& url);

}  // namespace surety::data
