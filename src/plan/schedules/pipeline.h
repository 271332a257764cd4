// Finds the cheapest schedule that keeps a promise, over data prefixes x variants x schedules.
//
// Candidates are every variant alone, two blocks on a coarse lattice, and the schedules of the
// expanded graph (open_loop.h). All are simulated with common random numbers, and the best ones are
// improved one pass at a time. Then, beginning with the cheapest, they are simulated again with
// other random numbers until one keeps the promise. So the printed numbers are independent of the
// choice of the schedule.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "plan/decision/simulate.h"
#include "plan/problem/problem.h"

namespace surety::plan {

struct Solution {
  std::size_t choice = 0;  // Index in Problem::choices.
  Schedule schedule;
  std::string what;  // The schedule in words (describe() in plan/decision/simulate.h).
  Outcome outcome;
};

struct Solved {
  std::optional<Solution> plan;
  // The plan; without one, the solution most likely to succeed, without regard to the budget.
  Solution best_effort;
  // Results of the screening only: the best of each kind, the cheapest feasible one first.
  std::vector<Solution> others;
};

// Deterministic. The work is bounded by the options, never by time.
[[nodiscard]] Solved solve(const Problem& problem, const Goal& goal);

// Schedules that are tried for any laws: every variant alone, and two blocks on a coarse lattice.
// Schedules of two blocks are omitted if the law of the last block cannot be simulated down to the
// stop metric.
[[nodiscard]] std::vector<Schedule> basic_schedules(const Setting& setting);

// The limits that reachable_probability() ignores.
struct Ignore {
  bool margin = false;   // The margin between stop metric and target.
  bool stuck = false;    // Runs that never learn.
  bool support = false;  // The limits to which curves were measured.
  bool passes = false;   // The job's limit for passes.
};
// Highest probability of any version alone without a limit of time. The search ends as soon as the
// value is as high as the promise.
[[nodiscard]] double reachable_probability(const Problem& problem, const Goal& goal,
                                           const Ignore& ignore);

}  // namespace surety::plan
