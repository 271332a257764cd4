// The best blind schedule that may stop early: blocks of passes on a lattice, and a last block that
// goes on until the target is observed or no pass fits before the deadline.
//
// Between the fixed schedule of label_setting.h, which is paid to its end, and the closed loop,
// which may change its course: observing only decides when to stop. What the closed loop gains on
// top of this is adaptivity; what this gains on the fixed schedule is early stopping.
//
// The run stops when the stop level or a lower one is observed after a pass, and where no pass of
// the block, however short, ends in time. As long as it goes on, time and level are independent:
// stopping depends on the level alone, and running out of time on the time alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "plan/process/cmdp.h"
#include "plan/schedule/label_setting.h"

namespace surety::plan {

struct BlockOptions {
  // The run stops there and below. Higher than 0 where the lowest levels are there for targets that
  // cannot be measured exactly (Mdp::success).
  std::size_t stop_level = 0;
  std::uint32_t blocks_max = 3;
  // Passes of the blocks before the last, on the lattice: all up to 1 / (growth - 1), then growing
  // by this factor. Nearer to 1: slower, and hardly better, because the best are then refined pass
  // by pass.
  double growth = 1.2;
  std::uint32_t passes_max = 400;    // In one block.
  std::size_t refined = 6;           // Sequences of variants whose best schedule is refined.
  std::uint32_t refine_rounds = 40;  // Of one schedule: bounds the work.
};

struct BlockResult {
  std::vector<std::optional<BlindPlan>> plans;  // By omega; none: no schedule found.
  std::size_t schedules = 0;                    // That were evaluated.
};

// For each omega the cheapest schedule found with at least that success probability. The passes of
// the last leg are 1: it goes on anyway. Ties: fewer legs, lower variants, fewer passes.
// REQUIRES: at most one start per variant; omegas not empty, ascending.
// O(ticks * variants * levels * (row + durations)) for the last blocks, then for each schedule
// O(time support * levels).
[[nodiscard]] BlockResult early_stop_search(const Mdp& mdp, const std::vector<MdpStart>& starts,
                                            const std::vector<double>& omegas,
                                            const BlockOptions& options);

// Runs of one variant until the stop level or the deadline, from every state: R of cmdp.h with
// nothing to choose.
struct RunOut {
  std::size_t stop_level = 0;
  Table probability, cost;  // By tick, variant, level: the next thing is a pass.
};
[[nodiscard]] RunOut run_out(const Mdp& mdp, std::size_t stop_level);

// Success probability and cost of one schedule with early stop; none as evaluate_fixed(), and where
// no time is left for one of its legs. `out` is of this process.
[[nodiscard]] std::optional<BlindPlan> evaluate_early_stop(const Mdp& mdp, const RunOut& out,
                                                           const std::vector<MdpStart>& starts,
                                                           const Schedule& schedule);

}  // namespace surety::plan
