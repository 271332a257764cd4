// A plan: which data, which versions until when, which nodes; what it will cost, how likely it
// keeps the promise, and why it was chosen.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "plan/promise.h"
#include "plan/types.h"

namespace surety::plan {

enum class Planner : std::uint8_t {
  kClosedLoop,  // Reacts to the metric and the time (closed_loop.h).
  kOpenLoop,    // A fixed schedule, chosen by distributions (DepL).
  kMean,        // A fixed schedule, chosen by means, with a margin.
};

// A version on nodes. A fixed schedule trains its blocks one after the other, each for its passes;
// the last goes on beyond them while the target is not met and time is left: there they are what
// 95 % of the runs need. A closed-loop plan chooses among its blocks after every pass; there the
// passes are what runs that use the block need on average.
struct Block {
  std::string version;
  std::uint32_t passes = 0;
  std::uint32_t nodes = 0;             // As many as were profiled, unless there are fewer.
  std::vector<NodeCount> counts = {};  // By type; empty: any.
  double pass_s = 0;                   // Mean of a pass with its evaluation.
  double switch_s = 0;                 // What going over to this block takes.
  double price_per_s = 0;              // Of all its nodes.
};

// What a closed-loop plan is executed by: the laws and the value of a success. The tables that the
// policy looks into are computed from them, always the same (closed_loop.h).
struct PolicySpec {
  Setting setting;            // Its variants are the plan's blocks.
  double lambda = 0;          // Value of a success, in money.
  std::uint32_t levels = 0;   // Of the metric.
  std::uint32_t ticks = 0;    // To the deadline.
  std::uint32_t classes = 0;  // Of the run effect.
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

// How much of the probability the profile supports, at the promised confidence.
struct Support {
  // Percentile margin: simulated on laws that the profile cannot tell from the fitted ones, that
  // share of them is at least as likely to succeed. Holds if the laws have the right shape.
  double percentile = 0;
  // Learn then test: planned on one half of the seeds, replayed on the other; the lower end of the
  // exact binomial interval. Holds whatever the laws, given exchangeable seeds.
  double held_out = 0;
  std::uint32_t held_out_runs = 0, held_out_successes = 0;
  double held_out_limit = 0;  // The most that so many runs can show: (1 - confidence)^(1/runs).
  std::uint32_t seeds = 0;    // In the profile.
  std::uint32_t seeds_needed = 0;  // That could show the promise by learn then test, none failing.
  std::string binding;  // "percentile margin" or "learn then test": the lower of the two.
};

// A point of the price of dependability: the cheapest plan for a promised probability.
struct PricePoint {
  double promised = 0, probability = 0, cost_mean = 0;
};

// What the simulated runs spend on one block.
struct Usage {
  std::uint32_t block = 0;
  double passes_mean = 0, cost_mean = 0;
  std::vector<double> shares;  // Of the runs that train on it at each point of `bands`.
};

struct Plan {
  Planner planner = Planner::kOpenLoop;
  std::vector<std::string> data;  // Names of the data sets used.
  std::vector<Block> blocks;
  std::uint32_t first_block = 0;
  std::optional<PolicySpec> policy;  // Closed loop only.
  // Stop when the deciding split's metric is at or below this (accuracy: 1 - accuracy). Below the
  // target by z times sqrt(2) standard errors of an evaluation, because the checkpoint that looks
  // good on one split is then measured on another (winner's curse);
  // z = Phi^-1((1 + probability) / 2): half of the failures that the promise allows are left to
  // that measurement, half to the training.
  double stop_metric = 0;
  double certify_s = 0;          // Kept free before the deadline, to measure the checkpoint.
  double probability = 0;        // Simulated on the continuous process.
  double probability_lower = 0;  // At the promised confidence: support.percentile.
  Support support;
  double cost_mean = 0, cost_95 = 0;
  double seconds_mean = 0, seconds_95 = 0;
  std::vector<Band> bands;
  std::vector<Usage> usage;        // By block; those that no run uses are left out.
  std::vector<PricePoint> prices;  // Ascending in what is promised.
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

}  // namespace surety::plan
