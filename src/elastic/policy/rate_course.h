// Measures how the rate of the duality gap changes while the gap falls.
//
// It keeps only the last range of -ln(gap), with at most 33 points, because older rates follow
// other laws.
#pragma once

#include <vector>

#include "elastic/policy/theil_sen.h"

namespace surety::elastic {

class RateCourse {
 public:
  // Adds the rate of a window with -ln(gap) = `depth` in its middle. A window that is hardly deeper
  // than the last one is ignored. REQUIRES: rate > 0.
  void add(double depth, double rate);
  void clear() { points_.clear(); }
  // How much ln(rate) falls per unit of -ln(gap), at least 0 and at most 0.5. 0 if fewer than three
  // windows are known.
  [[nodiscard]] double trend() const;

 private:
  std::vector<Observation> points_;  // Depth and ln(rate); ascending.
};

}  // namespace surety::elastic
