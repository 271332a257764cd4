// The layers of modules: which module may include which, as read from CMakeLists.txt.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lint/source/source_tree.h"

namespace surety::lint {

struct Module {
  std::size_t line = 0;  // Line of its declaration.
  std::set<std::string> deps;
  std::set<std::string> test_deps;  // Modules that only its tests may include (TEST_DEPS).
};

struct Modules {
  // Modules by name, from surety_module() and surety_proto().
  std::map<std::string, Module> by_name;
  // Programs by the path after MAIN, from surety_program().
  std::map<std::string, Module> programs;
};

// Whether a file is in no program: "x_test.cc", "x_testing.h", "x_fuzz.cc", and files in
// test/support/.
[[nodiscard]] bool is_outside_programs(std::string_view path);

// Reads the calls that start at the beginning of a line; a call may span several lines.
[[nodiscard]] Modules parse_modules(const SourceFile& cmake_lists);

// An `#include "path"` of a file.
struct Include {
  std::size_t line = 0;
  std::string path;
};

// The includes of a file that are in quotes, in order: all except those of libraries.
[[nodiscard]] std::vector<Include> quoted_includes(const SourceFile& file);

// The module that an include in quotes names: "plan/files" for "plan/files/x.h". A generated
// "x.pb.h" counts as part of module proto. Empty if it names no module.
[[nodiscard]] std::string module_of(const Include& include);

// The module whose folder a file below src/ or test/support/ is in.
[[nodiscard]] std::string module_of(const SourceFile& file);

// Every `#include "module/..."` must name the file's own module or one of its DEPS; a test may also
// include its TEST_DEPS. The main file of a program may
// include the DEPS of its program, and its folder need not be a module. Tests and fuzz targets may
// also include the test support (test/support/MODULE) of all of these. No other file may include a
// header that is for tests. DEPS and TEST_DEPS may only name modules that are declared before, so
// there are no cycles. Only files in src/ and in test/support/ are checked.
[[nodiscard]] std::vector<Finding> check_layers(const SourceTree& tree);

}  // namespace surety::lint
