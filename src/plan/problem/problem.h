// The planning problem: the promise in planning terms, and for each choice of data the laws that
// the profile supports. Solvers (schedule, closed_loop) use only this.
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
  std::optional<double> budget;  // Limit for the 95 % quantile of the cost.
  bool accuracy = false;         // The metric is 1 - accuracy, which matters for texts.
};
[[nodiscard]] Goal make_goal(const Promise& promise);

// Data to train on, and how versions learn on it.
struct DataLaws {
  DataChoice data;
  Laws laws;  // The result of on_data() for `measured`.
  // Laws of the profiled fraction that stands for the data, or of the two fractions around it.
  std::vector<Laws> measured;
};
// The laws for this data: interpolated if two laws were measured (plan/laws/data_laws.h), or with
// times scaled to its number of samples if there is one. REQUIRES: laws of data.profiled_fraction,
// then of data.profiled_above if that is set.
[[nodiscard]] Laws on_data(const std::vector<Laws>& measured, const DataChoice& data);

// Laws that the profile cannot distinguish from those of a choice. The key is the choice and the
// factor on the profile's seeds. They are drawn at first use, because that takes time, and are then
// kept.
using DrawnLaws = std::map<std::pair<std::size_t, std::uint32_t>, std::vector<Laws>>;

struct Problem {
  std::vector<std::string> versions;  // The full version first, then by name.
  std::vector<NodeType> nodes;        // Types that some variant may use.
  MemoryNeeds memory_bytes;           // Bytes by name of the version.
  std::uint32_t passes_max = 0;       // After so many passes in all, a run stops.
  std::vector<DataLaws> choices;      // Must not be empty.
  Profile profile;
  std::vector<ProfileRun> runs;  // The runs of `profile`.
  FitOptions fit;
  PlanOptions options;
  std::shared_ptr<DrawnLaws> drawn = std::make_shared<DrawnLaws>();  // draw_worlds() adds entries.
};

// Draws laws that the profile cannot distinguish from those of the choice: posterior_draws() of
// each measured law. The n-th draws of the measured laws are combined; they share their random
// numbers.
[[nodiscard]] std::vector<Laws> draw_laws(const Problem& problem, const DataLaws& choice,
                                          std::uint32_t draws, std::uint64_t seed,
                                          std::uint32_t seeds_factor = 1);

// Errors: InvalidInput, as in make_plan().
[[nodiscard]] Result<Problem> make_problem(const Instance& instance, const Profile& profile,
                                           const PlanOptions& options);

// The factor z of the margin between stop metric and target, in standard errors (plan/plan.h).
[[nodiscard]] double margin_z(double probability);

[[nodiscard]] Setting make_setting(const Problem& problem, const DataLaws& choice,
                                   const Goal& goal);

// Seed of the simulation that gives the printed numbers.
[[nodiscard]] std::uint64_t final_seed(const PlanOptions& options);

}  // namespace surety::plan
