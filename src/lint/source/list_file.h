// The lists that rules read: packages.txt, and the exceptions of a rule with their reasons.
//
// A list has lines "word word  # reason", below headings "[group]" where it has groups. A line that
// begins with # is a comment.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lint/source/source_tree.h"

namespace surety::lint {

struct ListEntry {
  std::size_t line = 0;  // Counts from 1.
  std::string group;     // Empty before the first heading.
  std::vector<std::string> words;
  std::string reason;  // Empty if the line has none.
};

// The entries in their order. Every entry has a word.
[[nodiscard]] std::vector<ListEntry> parse_list(const SourceFile& file);

}  // namespace surety::lint
