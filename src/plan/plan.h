// A plan: which data, which versions until when, which nodes; what it will cost, how likely it
// keeps the promise, and why it was chosen.
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

// Train `version` for `passes` passes on `nodes` nodes (a number that it was profiled on, unless
// there are fewer), then go to the next block.
// The last block goes on beyond its passes while the target is not met and time is left: there they
// are what 95 % of the runs need.
struct Block {
  std::string version;
  std::uint32_t passes = 0;
  std::uint32_t nodes = 0;
  double pass_s = 0;    // Mean of a pass with its evaluation.
  double switch_s = 0;  // What going over to this block takes.
};

// Where the metric should be: quantiles over simulated runs (accuracy as 1 - accuracy).
struct Band {
  double seconds = 0;  // Since training began; from 0 to what 95 % of the runs need.
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
  // Stop when the deciding split's metric is at or below this (accuracy: 1 - accuracy). Below the
  // target by z sqrt(2) standard errors of an evaluation, because the checkpoint that looks good on
  // one split is then measured on another (winner's curse); z = Phi^-1((1 + probability) / 2): half
  // of the failures that the promise allows are left to that measurement, half to the training.
  double stop_metric = 0;
  double certify_s = 0;          // Kept free before the deadline, to measure the checkpoint.
  double probability = 0;        // Simulated on the continuous process.
  double probability_lower = 0;  // At the promised confidence, over profiles drawn again (B.8.1).
  double cost_mean = 0, cost_95 = 0;
  double seconds_mean = 0, seconds_95 = 0;
  std::vector<Band> bands;
  std::vector<Candidate> runners_up;
  std::vector<Assumption> assumptions;
  std::string reason;  // Why this one.
};

// No plan keeps the promise: why, and the nearest promises that can be kept (each by itself).
struct Infeasible {
  // floor: every curve clearly tends to more; deadline: not in that time; budget: not for that
  // money; profile: what was measured shows no learning, or the target is so far below it that
  // saying anything would be guessing; data: the validation data is too little to tell; stuck: too
  // many runs never learn.
  std::string reason_class;
  std::string reason;
  // Nearest feasible, each with the others as promised; the target in the promise's own terms.
  std::optional<double> target, probability, deadline_s, budget;
  std::optional<std::uint32_t> seeds;  // Profile size that would do.
  std::optional<Plan> best_effort;
};

using Decision = std::variant<Plan, Infeasible>;

struct PlanOptions {
  std::uint64_t seed = 1;
  std::uint32_t simulated_runs = 4000;
  std::uint32_t levels = 200;      // Of the expanded graph.
  std::uint32_t passes_max = 400;  // In one block: bounds the graph.
};

// Decides. A plan is issued when its simulated probability is at least the promised one and, where
// there is a budget, the 95 % quantile of its cost is within it. Whether the profile also supports
// that probability at the promised confidence is said in `probability_lower` and in the assumption
// "profile supports the promise"; a few seeds do not.
//
// InvalidInput where the promise makes no sense or the profile cannot be planned with (no curve,
// one point), with what to measure. Pure and deterministic; the order of data sets, nodes, runs
// in the profile and of the versions after the first does not matter. In `profile` accuracy stands
// as 1 - accuracy.
[[nodiscard]] Result<Decision> make_plan(const Instance& instance, const Profile& profile,
                                         const PlanOptions& options);

// What to do after a pass: the running job asks, the plan answers, with its reason.
struct Observation {
  double seconds = 0;       // Since training began.
  double seconds_left = 0;  // To the deadline.
  std::uint32_t block = 0;
  std::uint32_t pass_in_block = 0;   // Done so far in this block; 0 before its first.
  double metric = 0, metric_se = 0;  // Deciding split; accuracy as 1 - accuracy.
  // Passes in a row, this one the last, after which is_behind() was true: the caller counts.
  std::uint32_t passes_behind = 0;
};
// Is the metric above what 95 % of the simulated runs had by then?
[[nodiscard]] bool is_behind(const Plan& plan, double seconds, double metric);

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
// The rule is policy.h's, the one that the plan's numbers were simulated with. From three passes
// behind on, the reason to go on says so, with the band.
// REQUIRES: observation.block < plan.blocks.size().
[[nodiscard]] Step next_step(const Plan& plan, const Observation& observation);

}  // namespace surety::plan
