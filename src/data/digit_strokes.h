// How digits are written: pen strokes as a hand would make them, several ways for some digits.
#pragma once

#include <cstdint>
#include <vector>

namespace surety::data {

struct Point {
  double x = 0, y = 0;
};

// Points that the pen passes through smoothly. Corners are where one stroke ends and the next
// begins. Coordinates are shares of the digit's box: x to the right, y down, 0..1.
using Stroke = std::vector<Point>;
using Glyph = std::vector<Stroke>;

// The ways to write a digit, at least one. REQUIRES: digit < 10.
[[nodiscard]] const std::vector<Glyph>& glyphs_of(std::uint32_t digit);

}  // namespace surety::data
