// Dependencies that a module declares but does not use: they give a wrong picture of the modules,
// and a change of one module causes unnecessary builds of others.
#pragma once

#include <vector>

#include "lint/source/source_tree.h"

namespace surety::lint {

// Reports each of the DEPS of a module or program that no file except tests includes, and each of
// the TEST_DEPS that no test includes. Modules that fuzz targets include must be in DEPS, because
// fuzz targets are linked only with these. O(text).
[[nodiscard]] std::vector<Finding> check_dependencies(const SourceTree& tree);

}  // namespace surety::lint
