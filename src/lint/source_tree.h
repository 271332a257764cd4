// The files that the lint looks at, as text in memory: rules never touch a disk.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace surety::lint {

struct SourceFile {
  std::string path;                // From the root, with slashes: "src/base/units.h".
  std::vector<std::string> lines;  // As written, without line ends.
  std::vector<std::string> code;   // The same lines with comments, literals and macros blanked.

  [[nodiscard]] bool is_header() const { return path.ends_with(".h"); }
  [[nodiscard]] bool is_cpp() const { return is_header() || path.ends_with(".cc"); }
};

struct SourceTree {
  std::vector<SourceFile> files;  // By path.
};

// One thing to change. Lines count from 1; 0 means the file as a whole.
struct Finding {
  std::string file;
  std::size_t line = 0;
  std::string rule;
  std::string message;  // What is wrong, and what to do.

  [[nodiscard]] std::string text() const;  // "file:line: rule: message"
};

[[nodiscard]] SourceFile make_file(std::string path, std::string_view text);

// The file at `path`, or null.
[[nodiscard]] const SourceFile* find_file(const SourceTree& tree, std::string_view path);

// Reads CMakeLists.txt, packages.txt and the text files below src, bench, cmake, examples, proto,
// scenarios, scripts and .ci. InvalidInput where `root` holds no CMakeLists.txt.
[[nodiscard]] Result<SourceTree> read_tree(const std::filesystem::path& root);

}  // namespace surety::lint
