// Finds the known name that a user probably meant, for error messages.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace surety {

// The candidate with the smallest edit distance; insertions, deletions, replacements and swaps of
// neighbours each count 1. nullopt if that distance is more than a third of the length of the word,
// rounded up, or as large as the length: one letter is not near to another. If distances are equal,
// the first candidate.
[[nodiscard]] std::optional<std::string> nearest(std::string_view word,
                                                 std::span<const std::string> candidates);

}  // namespace surety
