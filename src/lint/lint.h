// The house rules that a program can check, over a whole source tree.
#pragma once

#include <vector>

#include "lint/source/source_tree.h"

namespace surety::lint {

// Applies every rule. The findings are sorted by file, line and rule.
[[nodiscard]] std::vector<Finding> check_all(const SourceTree& tree);

}  // namespace surety::lint
