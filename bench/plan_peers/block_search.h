// The best blind schedule that may stop early. It consists of blocks of passes on a lattice, and a
// last block that continues until the target is observed or no pass fits before the deadline.
//
// It lies between the fixed schedule of test/support/plan/schedules/label_setting.h, which is paid
// to its end, and the closed loop, which may change its course: observations only decide when to
// stop. The advantage of the closed loop over this schedule is due to adaptivity. The advantage of
// this schedule over the fixed one is due to early stopping.
//
// The run stops when the stop level or a lower one is observed after a pass, or when no pass of the
// block, however short, ends in time. While it continues, time and level are independent: stopping
// depends on the level alone, and running out of time on the time alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "plan/decision/cmdp.h"
#include "test/support/plan/schedules/label_setting.h"

namespace surety::bench {

struct BlockOptions {
  // The run stops at this level and below. It is above 0 if the lowest levels exist for targets
  // that cannot be measured exactly (Mdp::success).
  std::size_t stop_level = 0;
  std::uint32_t blocks_max = 3;
  // Lattice of the passes of all blocks but the last: every number up to 1 / (growth - 1), then
  // growing by this factor. A value nearer to 1 is slower and hardly better, because the best
  // schedules are then refined pass by pass.
  double growth = 1.2;
  std::uint32_t passes_max = 400;  // Limit for one block.
  std::size_t refined = 6;  // Number of sequences of variants whose best schedule is refined.
  std::uint32_t refine_rounds = 40;  // Rounds for one schedule; bounds the work.
};

struct BlockResult {
  // One entry for each omega; none if no schedule was found.
  std::vector<std::optional<plan::BlindPlan>> plans;
  std::size_t schedules = 0;  // Number of evaluated schedules.
};

// For each omega, the cheapest schedule found with at least that success probability. The last leg
// has 1 pass, because it continues in any case. Ties: fewer legs, lower variants, fewer passes.
// REQUIRES: at most one start per variant; omegas not empty, ascending.
// O(ticks * variants * levels * (row + durations)) for the last blocks, then O(time support *
// levels) for each schedule.
[[nodiscard]] BlockResult early_stop_search(const plan::Mdp& mdp,
                                            const std::vector<plan::MdpStart>& starts,
                                            const std::vector<double>& omegas,
                                            const BlockOptions& options);

// Runs of one variant until the stop level or the deadline, from every state: R of
// plan/decision/cmdp.h without choices.
struct RunOut {
  std::size_t stop_level = 0;
  plan::Table probability;  // Indexed by tick, variant and level; a pass comes next.
  plan::Table cost;         // Indexed by tick, variant and level; a pass comes next.
};
[[nodiscard]] RunOut run_out(const plan::Mdp& mdp, std::size_t stop_level);

// Success probability and cost of one schedule with early stop. None in the cases of
// evaluate_fixed(), and if no time is left for one of its legs. `out` belongs to this process.
[[nodiscard]] std::optional<plan::BlindPlan> evaluate_early_stop(
    const plan::Mdp& mdp, const RunOut& out, const std::vector<plan::MdpStart>& starts,
    const plan::Schedule& schedule);

}  // namespace surety::bench
