// Cores make decisions and shells do input and output: only shells may read clocks, files and the
// machine.
#pragma once

#include <vector>

#include "lint/source/source_tree.h"

namespace surety::lint {

// Cores may use no threads, clocks, files, system calls, ambient randomness or environment, and no
// containers whose order of iteration is unspecified.
//
// All of this is allowed in shells: the folders named posix, fabric/sockets, runtime, cli and lint,
// and everything outside src/. It is also allowed in files that end in _posix_test.cc, _fuzz.cc or
// _bench.cc.
[[nodiscard]] std::vector<Finding> check_purity(const SourceTree& tree);

}  // namespace surety::lint
