// A plan: which data, which versions until when, which nodes; what it will cost, how likely it keeps
// the promise, and why it was chosen.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "plan/profile.h"
#include "plan/promise.h"

namespace surety::plan {

// Train `version` for `passes` passes on `nodes` nodes, then go to the next block.
struct Block {
  std::string version;
  std::uint32_t passes = 0;
  std::uint32_t nodes = 0;
};

// Where the metric should be: quantiles over simulated runs.
struct Band {
  double seconds = 0;  // Since training began.
  double q05 = 0, q50 = 0, q95 = 0;
};

struct Candidate {
  std::string what;  // "full only", "prune:0.5 x6 then full x4 on 3 nodes", ...
  double cost_mean = 0, probability = 0;
};

struct Assumption {
  std::string name, test;  // "curves do not cross", what was compared.
  bool passed = true;
  std::string found;
};

struct Plan {
  std::vector<std::string> data;  // Names of the data sets used.
  std::vector<Block> blocks;
  double stop_metric = 0;        // Stop when the deciding split's metric is at or below this (see
                                 // promise.h for accuracy: 1 - accuracy).
  double probability = 0;        // Simulated on the continuous process.
  double probability_lower = 0;  // At the promised confidence.
  double cost_mean = 0, cost_95 = 0;
  double seconds_mean = 0, seconds_95 = 0;
  std::vector<Band> bands;
  std::vector<Candidate> runners_up;
  std::vector<Assumption> assumptions;
  std::string reason;            // Why this one.
};

// No plan keeps the promise: why, and the nearest promises that can be kept (each by itself).
struct Infeasible {
  std::string reason_class;  // floor, deadline, profile, budget, data
  std::string reason;
  std::optional<double> target, probability, deadline_s, budget;  // Nearest feasible.
  std::optional<std::uint32_t> seeds;                             // Profile size that would do.
  std::optional<Plan> best_effort;
};

using Decision = std::variant<Plan, Infeasible>;

struct PlanOptions {
  std::uint64_t seed = 1;
  std::uint32_t simulated_runs = 4000;
  std::uint32_t levels = 200;       // Of the expanded graph.
  std::uint32_t passes_max = 400;   // In one block: bounds the graph.
};

// Decides. InvalidInput where the profile cannot be planned with (no curve, one point), with what
// to measure. Pure and deterministic.
[[nodiscard]] Result<Decision> make_plan(const Instance& instance, const Profile& profile,
                                         const PlanOptions& options);

// What to do after a pass: the running job asks, the plan answers, with its reason.
struct Observation {
  double seconds = 0;        // Since training began.
  double seconds_left = 0;   // To the deadline.
  std::uint32_t block = 0, pass_in_block = 0;
  double metric = 0, metric_se = 0;  // Deciding split.
};
struct GoOn {};
struct SwitchTo {
  std::uint32_t block = 0;
};
struct Stop {
  bool target_met = false;
};
struct Step {
  std::variant<GoOn, SwitchTo, Stop> action;
  std::string reason;
};
[[nodiscard]] Step next_step(const Plan& plan, const Observation& observation);

}  // namespace surety::plan
