// Where two texts differ, for messages about a file that is not as expected.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace surety {

struct LineDifference {
  std::size_t line = 0;  // The first line is line 1.
  // The lines without their ends. A line is empty if its text has no such line.
  std::string_view found;
  std::string_view expected;
};

// The first line in which the texts differ; none if they differ at most in the end of the last
// line. The result refers to the texts. O(bytes).
[[nodiscard]] std::optional<LineDifference> first_difference(std::string_view found,
                                                             std::string_view expected);

}  // namespace surety
