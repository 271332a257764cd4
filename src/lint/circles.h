// Circles of files that include each other: each can only be read, tested and changed together with
// the others.
#pragma once

#include <vector>

#include "lint/source/source_tree.h"

namespace surety::lint {

// Reports files below src/ that include each other in a circle, with a shortest circle for each. A
// header and its source count as one file, so a circle may consist of includes in sources. O(text),
// and O(includes) for each file in a circle.
[[nodiscard]] std::vector<Finding> check_circles(const SourceTree& tree);

}  // namespace surety::lint
