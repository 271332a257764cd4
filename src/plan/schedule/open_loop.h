// Schedules from the expanded graph, without looking at the metric on the way.
//
// Vertex: (ticks, variant, omega-quantile of the level); label: the whole probability over levels,
// the cost so far, and the way here. One cheapest label per vertex, in order of time: the planner
// of DepL (Malandrino et al. 2024), reconstructed from its abstract (docs/theory.md, section 9). A
// label is extended by passes on its variant, or by a switch to a less pruned version and passes
// there.
//
// Differences: the cost of a step counts only while the target is not met, because the job stops
// there; the omega-quantile is kept in coarse classes so that labels stay few. The result is a list
// of candidates, not a promise: rounding of ticks and levels moves probabilities by some points, so
// the caller simulates and calibrates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plan/process/simulate.h"

namespace surety::plan {

struct OpenLoopOptions {
  std::size_t levels = 200;
  std::uint32_t ticks_max = 240;  // To the deadline, which is rounded down to them.
  std::uint32_t quantile_classes =
      100;                           // Twice as many: twice the labels, hardly better schedules.
  std::uint32_t labels_max = 40000;  // Bounds the work; cheapest paths in time order come first.
  std::vector<double> omegas;        // Ascending: each gives its own candidates.
};

// For each omega and each sequence of variants met on the way, the cheapest schedule found whose
// probability over levels has at least omega at the target by the deadline. Without duplicates,
// sorted. Empty when the graph finds none.
// O(labels * levels * width of a kernel row * variants).
[[nodiscard]] std::vector<Schedule> open_loop_schedules(const Setting& setting,
                                                        const OpenLoopOptions& options);

}  // namespace surety::plan
