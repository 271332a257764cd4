// Code that only tests and benchmarks need: it costs the same work to read, build and change as
// code of the programs.
#pragma once

#include <vector>

#include "lint/source/source_tree.h"

namespace surety::lint {

inline constexpr const char* kReachList = "src/lint/unreached.txt";

// Reports each file below src/ that no program needs, unless the list has its path without ending
// and with a reason. Also reports each entry of the list whose file is needed by a program or does
// not exist. Files whose names show that they are for tests ("_test", "_testing", "_fuzz") are not
// checked.
//
// A program needs its main file. It needs all files that a needed file includes, and the sources of
// a needed header: the source with the same name, and sources in its folder that include it and
// have no header with their own name. O(text).
[[nodiscard]] std::vector<Finding> check_reach(const SourceTree& tree);

}  // namespace surety::lint
