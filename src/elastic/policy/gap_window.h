// A window of iterations: measures how fast the duality gap falls in them, and whether the window
// is long enough for a reliable rate.
//
// The window begins at a starting point, the end of some iteration, and has the end of each
// iteration after it. After the first observation it is never empty: restart() and slide() only
// move the starting point.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "elastic/policy/theil_sen.h"

namespace surety::elastic {

struct GapWindowLimits {
  std::uint32_t iterations_min = 4;
  // The window is full when ln(gap) has fallen by `fall`, or when it has this number of iterations.
  std::uint32_t iterations_max = 24;
  double fall = 0.3;
};

class GapWindow {
 public:
  explicit GapWindow(GapWindowLimits limits) : limits_(limits) {}

  // An iteration ended at this time, in seconds, with this gap. REQUIRES: not earlier than the last
  // one; the gap is positive and finite.
  void add(double time, double duality_gap);
  // The last observation becomes the starting point. REQUIRES: there is one.
  void restart();
  // Shortens a full window as far as it remains full. If it has iterations_max iterations, at least
  // one is removed. At least iterations_min remain.
  void slide();

  // REQUIRES for all below: there was an observation; for rate() and iteration_time() also an
  // iteration after the starting point.
  [[nodiscard]] std::size_t iterations() const { return points_.size() - 1; }
  [[nodiscard]] bool is_full() const;
  // How much ln(gap) falls in a unit of time. A single outlier among the iterations does not change
  // it.
  [[nodiscard]] double rate() const { return theil_sen_slope(points_); }
  // -ln(gap) in the middle of the window.
  [[nodiscard]] double depth() const { return (points_.back().y + points_.front().y) / 2; }
  [[nodiscard]] double iteration_time() const;  // The mean time of an iteration.

 private:
  GapWindowLimits limits_;
  std::vector<Observation> points_;  // Time and -ln(gap).
};

}  // namespace surety::elastic
