// The Debian packages that we install: each has a reason, and a library has a user.
#pragma once

#include <vector>

#include "lint/source/source_tree.h"

namespace surety::lint {

// packages.txt has groups "[name]" of lines "package used  # reason". Reports a line without a
// reason. A package whose name ends in "-dev" is a library: `used` is how the headers begin that we
// include of it ("fmt/"), or how those end that are generated for it (".pb.h"), or the option that
// makes the compiler link it ("-fsanitize="). Reports a library without it, and one that nobody
// uses: no file of src/ but tests in the group [build], no file at all in other groups, and for an
// option no file of CMake.
[[nodiscard]] std::vector<Finding> check_packages(const SourceTree& tree);

}  // namespace surety::lint
