// Code that no program needs: only tests or benchmarks include it.
#pragma once

#include <vector>

#include "lint/source_tree.h"

namespace surety::lint {

// Each file in src/ that is not for tests must be reached from the main file of a program of
// CMakeLists.txt. A file reaches what it includes. A header reaches the source of its name, and the
// sources of its folder that include it and have no header of their name. Calls are not considered,
// so a source may still have functions that no program calls. O(text * log files).
[[nodiscard]] std::vector<Finding> check_reached(const SourceTree& tree);

}  // namespace surety::lint
