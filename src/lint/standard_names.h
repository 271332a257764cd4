// Headers must include what they use of the standard library. A precompiled header, and sources
// that are compiled together, hide a missing include from the compiler.
#pragma once

#include <vector>

#include "lint/source/source_tree.h"

namespace surety::lint {

// A header that uses a name of the standard library must include the standard header that declares
// it. Names that are rare, or that several headers declare for different purposes, are not checked.
[[nodiscard]] std::vector<Finding> check_standard_names(const SourceTree& tree);

}  // namespace surety::lint
