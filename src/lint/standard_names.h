// Headers include what they use of the standard library: a precompiled header, and sources that are
// compiled together, hide a missing include from the compiler.
#pragma once

#include <vector>

#include "lint/source_tree.h"

namespace surety::lint {

// A header that uses a name of the standard library includes the standard header that has it. Names
// that are rare, or that several headers have for different purposes, are not looked at.
[[nodiscard]] std::vector<Finding> check_standard_names(const SourceTree& tree);

}  // namespace surety::lint
