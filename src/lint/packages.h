// The Debian packages that the project installs: each must have a reason, and each library must be
// used.
#pragma once

#include <vector>

#include "lint/source/source_tree.h"

namespace surety::lint {

// packages.txt has groups "[name]" of lines "package used  # reason". Reports a line without a
// reason. A package whose name ends in "-dev" is a library: `used` is the beginning of its headers
// that the sources include ("fmt/"), or the end of the headers that are generated for it (".pb.h"),
// or the option with which the compiler links it ("-fsanitize="). Reports a library without `used`,
// and a library that is not used. A library of the group [build] is used if a file of src/ that is
// not a test includes it; a library of another group is used if any file includes it. An option is
// used if a file of CMake has it.
[[nodiscard]] std::vector<Finding> check_packages(const SourceTree& tree);

}  // namespace surety::lint
