// A robust slope of points that are scattered about a line. Some points may be far away from it.
#pragma once

#include <span>

namespace surety::elastic {

// A point (x, y), for example time and value.
struct Observation {
  double x = 0;
  double y = 0;
};

// The median slope between all pairs with different x (Theil 1950, Sen 1968). REQUIRES: such a
// pair. O(n^2 log n).
[[nodiscard]] double theil_sen_slope(std::span<const Observation> observations);

}  // namespace surety::elastic
