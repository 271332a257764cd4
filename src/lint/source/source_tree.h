// The files that the lint checks, as text in memory, so that the rules never read a disk.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace surety::lint {

// The folder of code that tests of several modules share, with a folder for each module.
inline constexpr std::string_view kTestSupport = "test/support/";

struct SourceFile {
  std::string path;                // Path from the root, with slashes: "src/base/units.h".
  std::vector<std::string> lines;  // The lines as written, without line ends.
  // The same lines after code_of(), that is, without comments and literals.
  std::vector<std::string> code;

  [[nodiscard]] bool is_header() const { return path.ends_with(".h"); }
  [[nodiscard]] bool is_cpp() const { return is_header() || path.ends_with(".cc"); }
  // Whether a file is only for tests and in no library of a program: "x_test.cc", "x_testing.h",
  // and test support.
  [[nodiscard]] bool is_for_tests() const {
    return path.starts_with(kTestSupport) || path.find("_test") != path.npos;
  }
};

struct SourceTree {
  std::vector<SourceFile> files;  // Sorted by path.
};

// A violation of a rule. Lines count from 1; line 0 means the file as a whole.
struct Finding {
  std::string file;
  std::size_t line = 0;
  std::string rule;
  std::string message;  // The violation, and how to correct it.

  [[nodiscard]] std::string text() const;  // "file:line: rule: message"
};

[[nodiscard]] SourceFile make_file(std::string path, std::string_view text);

// Returns the file at `path`, or null if there is none.
[[nodiscard]] const SourceFile* find_file(const SourceTree& tree, std::string_view path);

// Reads CMakeLists.txt, packages.txt, the Markdown files of `root`, and the text files below src,
// test, bench, cmake, docs, examples, proto, scenarios, scripts and .ci. InvalidInput if `root`
// contains no CMakeLists.txt.
[[nodiscard]] Result<SourceTree> read_tree(const std::filesystem::path& root);

}  // namespace surety::lint
