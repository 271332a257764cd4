// Comments that cannot be understood by themselves: fragments that continue the name or the line
// before them, and names of headers that a reader would have to search for.
#pragma once

#include <vector>

#include "lint/source/source_tree.h"

namespace surety::lint {

// Reports a comment of a C++ file that begins with "Of", "That", "As", "Whose" or "Whom",
// and one that ends like a sentence after one or two words. Units ("Bytes."), a cost ("O(n).") and
// a verb with its object ("Guards x.") are accepted. A comment of several lines is one comment.
//
// Also reports a comment of up to six words that is a phrase: it begins with "At", "By", "For",
// "From", "In", "On", "With" or "Without", ends like a sentence, and has no comma, colon, semicolon
// or short verb ("is", "has", "may", ...). O(text).
[[nodiscard]] std::vector<Finding> check_comments(const SourceTree& tree);

// Reports the name of a header without a folder in a comment of a C++ file, unless the folder of
// this file contains the header. A name in quotes is an example and is accepted. O(text + names *
// files).
[[nodiscard]] std::vector<Finding> check_header_names(const SourceTree& tree);

}  // namespace surety::lint
