// How the rate at which the duality gap falls changes as the gap falls.
//
// It keeps the last stretch of -ln(gap) only, because further back rates follow other laws, and at
// most 33 points of it.
#pragma once

#include <vector>

#include "elastic/policy/theil_sen.h"

namespace surety::elastic {

class RateCourse {
 public:
  // A window in the middle of which -ln(gap) was `depth` had this rate. Ignored: a window that is
  // hardly deeper than the last one. REQUIRES: rate > 0.
  void add(double depth, double rate);
  void clear() { points_.clear(); }
  // How much ln(rate) sinks per unit of -ln(gap), at least 0 and at most 0.5. 0 if fewer than three
  // windows are known.
  [[nodiscard]] double trend() const;

 private:
  std::vector<Observation> points_;  // Depth and ln(rate); ascending.
};

}  // namespace surety::elastic
