// The floors of the house: which module may include which, read from the build's own lines.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "lint/source_tree.h"

namespace surety::lint {

struct Module {
  std::size_t line = 0;  // Where it is declared.
  std::set<std::string> deps;
  std::set<std::string> test_deps;  // TEST_DEPS: what only its tests may include.
};

struct Modules {
  std::map<std::string, Module> by_name;   // From surety_module() and surety_proto().
  std::map<std::string, Module> programs;  // By the path of MAIN, from surety_program().
};

// Reads the calls at the start of a line; one call may span lines.
[[nodiscard]] Modules parse_modules(const SourceFile& cmake_lists);

// Every `#include "module/..."` must be of the file's own module or one of its DEPS (in tests also
// of its TEST_DEPS), and both may name only what is declared above: so there are no circles.
// Generated "x.pb.h" count as module proto; files outside src/ are not asked.
[[nodiscard]] std::vector<Finding> check_layers(const SourceTree& tree);

}  // namespace surety::lint
