// The known name that somebody most likely meant: for error messages.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace surety {

// The candidate with the smallest edit distance (insertions, deletions, replacements and swaps of
// neighbours each count 1), where that is at most a third of the word, rounded up, and less than
// the whole word: another letter is not near to a letter. Ties: the first.
[[nodiscard]] std::optional<std::string> nearest(std::string_view word,
                                                 std::span<const std::string> candidates);

}  // namespace surety
