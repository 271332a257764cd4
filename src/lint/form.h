// Rules about the form of files: their length, the beginning of headers, and forbidden contents of
// lines.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lint/source/source_tree.h"

namespace surety::lint {

struct SizeLimits {
  std::size_t file_lines = 500;    // Lines of a .cc file, without its #include lines.
  std::size_t header_lines = 200;  // Lines of a header, without its #include lines. A header is
                                   // read as a whole: three pages at most.
  std::size_t function_lines = 70;
  std::size_t columns = 100;  // Characters of a line, not bytes.
};

// Checks the limits in C++ files only.
[[nodiscard]] std::vector<Finding> check_sizes(const SourceTree& tree, const SizeLimits& limits);

// A header starts with a comment that describes it, and has #pragma once. A header below src/
// includes no header of a library that takes long to compile.
[[nodiscard]] std::vector<Finding> check_headers(const SourceTree& tree);

// No file may contain the path of a folder of one machine.
[[nodiscard]] std::vector<Finding> check_paths(const SourceTree& tree);

// Two lines for people, one about files and one about functions: median, 90th and 99th percentile
// and maximum of their lengths in lines.
[[nodiscard]] std::string describe_sizes(const SourceTree& tree);

}  // namespace surety::lint
