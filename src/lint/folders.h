// Folders that are easy to survey, and namespaces that tell the folder.
#pragma once

#include <vector>

#include "lint/source/source_tree.h"

namespace surety::lint {

// Reports folders below src/ with more than 35 files that are not for tests. O(files).
[[nodiscard]] std::vector<Finding> check_folders(const SourceTree& tree);

// Reports headers below src/ whose namespace is not that of their folder: surety::X for src/X/ and
// the folders in it, except base, which is surety, and a few folders with a namespace of their own.
// O(text).
[[nodiscard]] std::vector<Finding> check_namespaces(const SourceTree& tree);

}  // namespace surety::lint
