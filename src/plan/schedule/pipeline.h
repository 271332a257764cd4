// From a promise to the cheapest schedule that keeps it: data prefixes x variants x schedules.
//
// Candidates are every variant alone, two blocks on a coarse lattice, and the schedules of the
// expanded graph (open_loop.h). All are simulated with common random numbers, the best are improved
// one pass at a time, and then, from the cheapest up, simulated again with other random numbers
// until one keeps the promise: the numbers printed are not the ones that it was chosen by.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "plan/problem/problem.h"
#include "plan/process/simulate.h"

namespace surety::plan {

struct Solution {
  std::size_t choice = 0;  // In Problem::choices.
  Schedule schedule;
  std::string what;
  Outcome outcome;
};

struct Solved {
  std::optional<Solution> plan;
  Solution best_effort;          // The plan, or else the likeliest to succeed, budget aside.
  std::vector<Solution> others;  // Screened only; the best of each kind, cheapest feasible first.
};

// Deterministic. Work is bounded by the options, never by time.
[[nodiscard]] Solved solve(const Problem& problem, const Goal& goal);

// Schedules that are tried whatever the laws look like: every variant alone, two blocks on a coarse
// lattice. Without those that end on a law that cannot be simulated down to the stop metric, unless
// they are single.
[[nodiscard]] std::vector<Schedule> basic_schedules(const Setting& setting);

// What reachable_probability() leaves out of account.
struct Ignore {
  bool margin = false;   // That between stop metric and target.
  bool stuck = false;    // Runs that never learn.
  bool support = false;  // How far the curves were measured.
};
// Highest probability of any version alone with all the time in the world; once it is as high as
// the promise, no higher one is looked for.
[[nodiscard]] double reachable_probability(const Problem& problem, const Goal& goal,
                                           const Ignore& ignore);

}  // namespace surety::plan
