// The pen strokes of handwritten digits, with several styles for some digits.
#pragma once

#include <cstdint>
#include <vector>

namespace surety::data {

struct Point {
  double x = 0;
  double y = 0;
};

// Points through which the pen passes smoothly. At a corner one stroke ends and the next begins.
// Coordinates are shares of the digit's box, 0..1: x to the right, y down.
using Stroke = std::vector<Point>;
using Glyph = std::vector<Stroke>;

// The styles of a digit, at least one. REQUIRES: digit < 10.
[[nodiscard]] const std::vector<Glyph>& glyphs_of(std::uint32_t digit);

}  // namespace surety::data
