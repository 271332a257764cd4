// Schedules from the expanded graph, without observing the metric.
//
// A vertex is (ticks, variant, omega-quantile of the level). A label contains the whole
// distribution over levels, the cost so far, and the path. There is one cheapest label per vertex,
// in order of time. This is the planner of DepL (Malandrino et al. 2024), reconstructed from its
// abstract (docs/theory.md, section 9). A label is extended by passes of its variant, or by a
// switch to a less pruned version and passes there.
//
// There are two differences. The cost of a step counts only while the target is not met, because
// the job stops there. The omega-quantile is kept in coarse classes, so that there are few labels.
// The result is a list of candidates, not a promise: rounding of ticks and levels changes
// probabilities by some points, so the caller simulates and calibrates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plan/decision/simulate.h"

namespace surety::plan {

struct OpenLoopOptions {
  std::size_t levels = 200;
  std::uint32_t ticks_max = 240;  // Ticks until the deadline, which is rounded down to a tick.
  std::uint32_t quantile_classes =
      100;  // Twice as many give twice the labels and hardly better schedules.
  std::uint32_t labels_max = 40000;  // Bounds the work; cheapest paths in time order come first.
  std::vector<double> omegas;        // Ascending; each one gives its own candidates.
};

// For each omega and each sequence of variants found, the cheapest schedule whose distribution over
// levels has at least omega at the target by the deadline. The list is sorted, has no
// duplicates, and is empty if the graph contains none. O(labels * levels * width of a kernel row *
// variants).
[[nodiscard]] std::vector<Schedule> open_loop_schedules(const Setting& setting,
                                                        const OpenLoopOptions& options);

}  // namespace surety::plan
