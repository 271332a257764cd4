// The cheapest fixed schedule that keeps a promise: a number of passes of one variant, then of the
// next, independent of observations. It contains the planner of DepL (Malandrino et al. 2024) and
// the exact optimum that DepL approximates.
//
// The schedule runs to its end and is paid to its end; only the level there counts. (If level 0 of
// the kernels is absorbing, this means that some checkpoint met the target.) Durations do not
// depend on the level, so P(success) = P(level) * P(in time), and the expected cost is a plain sum.
//
// A label is a path in the expanded graph: a variant, the distributions of the time and of the
// level after its last pass, the cost so far and the path. Labels are extended in order of the
// omega-quantile of the time, by a pass of their variant, or by a switch and a pass of the other
// one.
//
// There are two rules for which labels to keep:
// - exact: a label is dropped only if another one of the same variant costs no more, has as many
//   switches left, and is no later and no higher, both in first-order stochastic dominance. If
//   kernels are monotone (a worse level before is not better after), every continuation of the
//   first label is also one of the second, so the result is the optimum of the graph.
// - DepL-D: one cheapest label per vertex (variant, omega-quantile of the time, class of the
//   omega-quantile of the level). Polynomial. This is our reading of the paper, of which we know
//   only the abstract (there durations are fixed, and the time is the vertex's time).
//
// This file works on numbers alone, like plan/decision/cmdp.h, so that both can be compared on the
// same process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "plan/decision/cmdp.h"
#include "plan/types.h"

namespace surety::plan {

// A schedule with its result in the process.
struct BlindPlan {
  Schedule schedule;
  double probability = 0;
  double cost = 0;
};

enum class LabelRule : std::uint8_t { kExact, kDepl };

struct LabelOptions {
  LabelRule rule = LabelRule::kDepl;
  // DepL's granularity eta: classes of the level's quantile. 0 means one class for each level. Half
  // as many classes give half the labels; below about a hundred the schedule costs some percent
  // more.
  std::size_t quantile_classes = 0;
  std::uint32_t blocks_max = 3;  // Legs of a schedule. One more leg gives several times the labels.
  // Labels kept in total, for each omega; bounds the work. At the limit the search ends and sets
  // `complete` to false.
  std::size_t labels_max = 1'000'000;
};

struct LabelResult {
  // One entry for each omega; none if no schedule was found.
  std::vector<std::optional<BlindPlan>> plans;
  std::size_t labels = 0;  // Number of labels kept.
  bool complete = true;    // False if labels_max was too small.
};

// Cheapest schedules for each omega. Ties: the one found first, in order of time, variant, label.
// REQUIRES: omegas not empty, in (0, 1), ascending; success does not rise with the level; monotone
// kernels for kExact; at most one start per variant.
// O(labels * (switches + 1) * (levels * kernel row + ticks * durations)), and for kExact a
// comparison with each label at the same variant and tick.
[[nodiscard]] LabelResult label_setting(const Mdp& mdp, const std::vector<MdpStart>& starts,
                                        const std::vector<double>& omegas,
                                        const LabelOptions& options);

}  // namespace surety::plan
