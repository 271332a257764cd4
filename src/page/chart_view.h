// The sizes in which a page shows its charts, and the range of the values in a chart.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "page/svg.h"

namespace surety::page {

// Each chart is drawn in all views, so that its letters stay readable on a phone. The style sheet
// shows one of the drawings.
struct View {
  const char* name;  // The CSS class has this name, too.
  Size size;
  int x_ticks;
};
inline constexpr std::array<View, 2> kViews{{{"wide", {760, 300}, 8}, {"narrow", {380, 260}, 4}}};

// The range of the drawn values; add() extends it.
struct Extent {
  double min = INFINITY;
  double max = -INFINITY;

  // Values that are not finite are ignored.
  void add(double value) {
    if (!std::isfinite(value)) return;
    min = std::min(min, value);
    max = std::max(max, value);
  }
  // Adds a share of the range on each side; a single value gets some room, too.
  [[nodiscard]] Extent widened(double share) const {
    const double room = max > min ? share * (max - min) : std::max(1e-9, share * std::abs(max));
    return {min - room, max + room};
  }
};

}  // namespace surety::page
