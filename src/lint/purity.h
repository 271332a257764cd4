// Decide in pure code: only shells read clocks, files and the machine.
#pragma once

#include <vector>

#include "lint/source_tree.h"

namespace surety::lint {

// Cores may use no threads, clocks, files, system calls, ambient randomness or environment, and no
// containers whose order of iteration is not part of the program.
//
// Shells, where all of it is allowed: folders named posix, fabric/ucx, runtime, cli, lint, and
// whatever is not below src/. Files that end in _posix_test.cc, _fuzz.cc and _bench.cc as well.
[[nodiscard]] std::vector<Finding> check_purity(const SourceTree& tree);

}  // namespace surety::lint
