#include "base/line_difference.h"

#include <algorithm>

namespace surety {
namespace {

// Removes the first line of the text, and returns it without its end.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

}  // namespace

std::optional<LineDifference> first_difference(std::string_view found, std::string_view expected) {
  for (std::size_t line = 1; !found.empty() || !expected.empty(); ++line) {
    const std::string_view a = take_line(found);
    const std::string_view b = take_line(expected);
    if (a != b) return LineDifference{line, a, b};
  }
  return std::nullopt;
}

}  // namespace surety
