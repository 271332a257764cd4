// Paragraphs of documents that are too long to be read at once.
#pragma once

#include <vector>

#include "lint/source/source_tree.h"

namespace surety::lint {

// Reports a paragraph of a Markdown file with more than 80 words. An item of a list is a paragraph.
// Headings, tables and blocks of code are not counted. O(text).
[[nodiscard]] std::vector<Finding> check_paragraphs(const SourceTree& tree);

}  // namespace surety::lint
