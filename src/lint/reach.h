// Code that only tests and benchmarks need: it is read, built and changed as if the programs did.
#pragma once

#include <vector>

#include "lint/source/source_tree.h"

namespace surety::lint {

inline constexpr const char* kReachList = "src/lint/unreached.txt";

// Reports each file below src/ that no program needs, unless the list has its path without ending
// and with a reason, and each entry that a program does need or that is gone. Files that are for
// tests by their names ("_test", "_testing", "_fuzz") are left alone.
//
// A program needs its main file. It needs what a needed file includes, and the sources of a needed
// header: the one of the same name, and those of its folder that include it and have no header of
// their own name. O(text).
[[nodiscard]] std::vector<Finding> check_reach(const SourceTree& tree);

}  // namespace surety::lint
