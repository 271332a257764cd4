// The cheapest fixed schedule that keeps a promise: so many passes of one variant, then so many of
// the next, whatever is observed on the way. The planner of DepL (Malandrino et al. 2024), and the
// exact optimum that it approximates.
//
// The schedule runs to its end and is paid to its end; what counts is the level there. (Where level
// 0 of the kernels absorbs, that is: some checkpoint met the target.) Durations do not depend on
// the level, so that P(success) = P(level) * P(in time), and expected cost is a plain sum.
//
// A label is a path in the expanded graph: a variant, the chances of the time and of the level
// after its last pass, the cost so far and the way here. Labels are extended, in order of the
// omega-quantile of the time, by a pass of their variant, or by a switch and a pass of the other.
//
// Two rules for which of them to keep:
// - exact: a label goes only if another of the same variant is as cheap, has as many switches left,
//   is no later and no higher, both in first-order stochastic dominance. Where kernels are monotone
//   (worse before is not better after) whatever the first can become, the second can as well, so
//   the result is the optimum of the graph.
// - DepL-D: one cheapest label per vertex (variant, omega-quantile of the time, class of the
//   omega-quantile of the level). Polynomial; this is our reading of the paper, of which we know
//   the abstract level only (there durations are fixed, and the time is the vertex's time).
//
// Numbers in, numbers out, like cmdp.h, so that both are compared on the same process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "plan/process/cmdp.h"
#include "plan/types.h"

namespace surety::plan {

// A schedule with what the process says of it.
struct BlindPlan {
  Schedule schedule;
  double probability = 0, cost = 0;
};

enum class LabelRule : std::uint8_t { kExact, kDepl };

struct LabelOptions {
  LabelRule rule = LabelRule::kDepl;
  // DepL's granularity eta: classes of the level's quantile. 0: every level its own. Half as many:
  // half the labels, and a schedule that costs some percent more below about a hundred.
  std::size_t quantile_classes = 0;
  std::uint32_t blocks_max = 3;  // Legs of a schedule. One more: several times the labels.
  // Kept in all, for each omega; bounds the work. When it is used up the search ends and says so.
  std::size_t labels_max = 1'000'000;
};

struct LabelResult {
  std::vector<std::optional<BlindPlan>> plans;  // By omega; none: no schedule found.
  std::size_t labels = 0;                       // That were kept.
  bool complete = true;                         // labels_max was enough.
};

// Cheapest schedules for each omega. Ties: the one found first, in order of time, variant, label.
// REQUIRES: omegas not empty, in (0, 1), ascending; success does not rise with the level; for
// kExact monotone kernels; at most one start per variant. O(labels * (switches + 1) * (levels *
// kernel row + ticks * durations)), and for kExact a comparison with each label at the same variant
// and tick.
[[nodiscard]] LabelResult label_setting(const Mdp& mdp, const std::vector<MdpStart>& starts,
                                        const std::vector<double>& omegas,
                                        const LabelOptions& options);

// Success probability and cost of one fixed schedule; none where it cannot be followed: no start on
// its first variant, or no switch where it needs one.
// REQUIRES: at least one leg, each with at least one pass. O(passes * (levels * row + ...)).
[[nodiscard]] std::optional<BlindPlan> evaluate_fixed(const Mdp& mdp,
                                                      const std::vector<MdpStart>& starts,
                                                      const Schedule& schedule);

}  // namespace surety::plan
