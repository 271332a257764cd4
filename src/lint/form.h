// The form of files: how long they are, how headers start, what else must be on a line.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lint/source_tree.h"

namespace surety::lint {

struct SizeLimits {
  std::size_t file_lines = 500;    // Includes do not count.
  std::size_t header_lines = 200;  // A header is read whole: a few pages.
  std::size_t function_lines = 70;
  std::size_t columns = 100;  // Characters, not bytes.
};

// C++ files only.
[[nodiscard]] std::vector<Finding> check_sizes(const SourceTree& tree, const SizeLimits& limits);

// A header starts with a comment that says what it is, and has #pragma once. It includes no header
// of a library that takes long to compile.
[[nodiscard]] std::vector<Finding> check_headers(const SourceTree& tree);

// packages.txt: groups "[name]" of lines "package  # reason"; a line without a reason is refused.
[[nodiscard]] std::vector<Finding> check_packages(const SourceTree& tree);

// No file names a folder of somebody's machine.
[[nodiscard]] std::vector<Finding> check_paths(const SourceTree& tree);

// Two lines for people: lines of files and of functions, median, 90th percentile and maximum.
[[nodiscard]] std::string describe_sizes(const SourceTree& tree);

}  // namespace surety::lint
