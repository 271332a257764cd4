// Each declaration must declare one name: then a reader finds each member at the start of a line,
// with its own comment.
#pragma once

#include <vector>

#include "lint/source/source_tree.h"

namespace surety::lint {

// Reports a declaration of two or more variables or functions: "int a = 0, b = 0;". The header of a
// for loop may have several, because it has no place for two declarations. O(text).
[[nodiscard]] std::vector<Finding> check_declarators(const SourceTree& tree);

}  // namespace surety::lint
