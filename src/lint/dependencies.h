// Dependencies that a module declares and does not have: with them the picture of the modules is
// not the true one, and a change of one module builds others again.
#pragma once

#include <vector>

#include "lint/source/source_tree.h"

namespace surety::lint {

// Reports each of the DEPS of a module or program that no file includes but tests, and each of the
// TEST_DEPS that no test includes. What fuzz targets include must be in DEPS, because they are
// linked with these only. O(text).
[[nodiscard]] std::vector<Finding> check_dependencies(const SourceTree& tree);

}  // namespace surety::lint
