// What there is to plan: a promise in planning terms, and for each choice of data the laws that the
// profile supports. Whatever solves it (schedule, closed_loop) sees nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "plan/data/data_select.h"
#include "plan/laws/profile_fit.h"
#include "plan/nodes/placement.h"
#include "plan/plan_options.h"
#include "plan/profile.h"
#include "plan/promise.h"
#include "plan/types.h"

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

// Seed of the simulation that the printed numbers come from.
[[nodiscard]] std::uint64_t final_seed(const PlanOptions& options);

}  // namespace surety::plan
