// From a promise to the cheapest schedule that keeps it: data prefixes x variants x schedules.
//
// Candidates are every variant alone, two blocks on a coarse lattice, and the schedules of the
// expanded graph (open_loop.h). All are simulated with common random numbers, the best are improved
// one pass at a time, and then, from the cheapest up, simulated again with other random numbers
// until one keeps the promise: the numbers printed are not the ones that it was chosen by.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "plan/data_select.h"
#include "plan/make_plan.h"
#include "plan/placement.h"
#include "plan/profile_fit.h"
#include "plan/simulate.h"

namespace surety::plan {

// The promise in planning terms: lower is better.
struct Goal {
  double target = 0;
  double probability = 0.95;
  double deadline_s = 0;
  std::optional<double> budget;  // Of the 95 % quantile of the cost.
  bool accuracy = false;         // For texts: the metric is 1 - accuracy.
};
[[nodiscard]] Goal make_goal(const Promise& promise);

// Data to train on, and how versions learn on it.
struct DataLaws {
  DataChoice data;
  Laws laws;  // on_data() of `measured`.
  // Of the profiled fraction that stands for the data, or of the two that it lies between.
  std::vector<Laws> measured;
};
// The laws for this data: between the measured ones where there are two (data_laws.h), with times
// scaled to its samples where there is one.
// REQUIRES: laws of data.profiled_fraction, then of data.profiled_above where that is not 0.
[[nodiscard]] Laws on_data(const std::vector<Laws>& measured, const DataChoice& data);

// Laws that the profile cannot tell from those of a choice, by choice and by how many times the
// profile's seeds: drawn when first asked for, because it takes time, and then always the same.
using DrawnLaws = std::map<std::pair<std::size_t, std::uint32_t>, std::vector<Laws>>;

struct Problem {
  std::vector<std::string> versions;  // Full first, then by name.
  std::vector<NodeType> nodes;        // That some variant may use.
  MemoryNeeds memory_bytes;           // By version.
  std::vector<DataLaws> choices;      // Not empty.
  Profile profile;
  std::vector<ProfileRun> runs;  // Of the profile.
  FitOptions fit;
  PlanOptions options;
  std::shared_ptr<DrawnLaws> drawn = std::make_shared<DrawnLaws>();  // draw_worlds() adds.
};

// Laws for the choice that the profile cannot tell from its own: posterior_draws() of each measured
// law, the n-th of one with the n-th of the other, which meet the same luck.
[[nodiscard]] std::vector<Laws> draw_laws(const Problem& problem, const DataLaws& choice,
                                          std::uint32_t draws, std::uint64_t seed,
                                          std::uint32_t seeds_factor = 1);

// InvalidInput as make_plan().
[[nodiscard]] Result<Problem> make_problem(const Instance& instance, const Profile& profile,
                                           const PlanOptions& options);

// z of the margin between stop metric and target, in spreads of an evaluation (plan.h).
[[nodiscard]] double margin_z(double probability);

[[nodiscard]] Setting make_setting(const Problem& problem, const DataLaws& choice,
                                   const Goal& goal);

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

// Of the simulation that the printed numbers come from.
[[nodiscard]] std::uint64_t final_seed(const PlanOptions& options);

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
