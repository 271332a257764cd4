// A plan: the data, the versions with their passes, and the nodes. A plan of a planner also
// contains its claims: its expected cost, and the probability that it keeps the promise.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/names.h"
#include "plan/bound_kind.h"
#include "plan/promise.h"
#include "plan/reason_class.h"
#include "plan/types.h"

namespace surety::plan {

enum class Planner : std::uint8_t {
  kClosedLoop,  // Reacts to the metric and the time (plan/closed_loop/closed_loop.h).
  kOpenLoop,    // A fixed schedule, chosen by distributions (DepL).
  kMean,        // A fixed schedule, chosen by means, with a margin.
  kByHand,      // A fixed schedule that no planner chose. It makes no claims.
};

inline constexpr Names<Planner, 4> kPlannerNames = {{{Planner::kClosedLoop, "closed-loop"},
                                                     {Planner::kOpenLoop, "open-loop"},
                                                     {Planner::kMean, "mean"},
                                                     {Planner::kByHand, "by-hand"}}};

// A version on nodes. A fixed schedule trains its blocks one after the other, each for its number
// of passes. The last block continues beyond its passes while the target is not met and time is
// left; its passes are what 95 % of the runs need. A closed-loop plan chooses among its blocks
// after every pass; there the passes are the mean over the runs that use the block.
struct Block {
  std::string version;
  std::uint32_t passes = 0;
  // Number of nodes: the number that was profiled, or fewer if fewer are available. None means all
  // nodes that are present.
  std::optional<std::uint32_t> nodes{};
  std::vector<NodeCount> counts = {};  // Nodes of each type; empty means any nodes.
  // Mean duration of a pass with its evaluation, duration of the change to this block, and price of
  // all its nodes. A plan by hand may lack them; then no pass is too long or too expensive for it.
  std::optional<double> pass_s{};
  std::optional<double> switch_s{};
  std::optional<double> price_per_s{};
};

// The input of the closed-loop policy, beside the laws of the claims. The tables of the policy are
// computed from both, always with the same result (plan/closed_loop/closed_loop.h).
struct PolicySpec {
  double lambda = 0;          // Value of a success, in money.
  std::uint32_t levels = 0;   // Number of levels of the metric.
  std::uint32_t ticks = 0;    // Number of ticks until the deadline.
  std::uint32_t classes = 0;  // Number of classes of the run effect.
};

// Expected range of the metric: quantiles over simulated runs (accuracy as 1 - accuracy).
struct Band {
  double seconds = 0;  // Time since training began; at most what 95 % of the runs need.
  double q05 = 0;
  double q50 = 0;
  double q95 = 0;
};

struct Candidate {
  std::string what;  // Examples are "full only" and "prune:0.5 x6 then full x4 on 3 nodes".
  double cost_mean = 0;
  double probability = 0;
};

// Names of the assumptions that follow from the claims of a plan. The checker knows them, too.
inline constexpr std::string_view kEnoughSeeds = "enough seeds";
inline constexpr std::string_view kCurvesFollowALaw = "curves follow a law";
inline constexpr std::string_view kProfileSupportsThePromise = "profile supports the promise";

struct Assumption {
  std::string name;  // An example is "curves do not cross".
  std::string test;  // The comparison that was made.
  bool passed = true;
  std::string found;
};

// The probability that the profile supports at the promised confidence.
struct Support {
  // Percentile margin: the plan is simulated on laws that the profile cannot distinguish from the
  // fitted ones. The share `confidence` of these laws gives at least this probability. It holds if
  // the laws have the right shape.
  double percentile = 0;
  // Learn then test: the plan is made from one half of the seeds and replayed on the other half.
  // This is the lower end of the exact binomial interval. It holds for any laws if the seeds are
  // exchangeable.
  double held_out = 0;
  std::uint32_t held_out_runs = 0;
  std::uint32_t held_out_successes = 0;
  double held_out_limit = 0;  // Largest value for this number of runs: (1 - confidence)^(1/runs).
  std::uint32_t seeds = 0;    // Number of seeds in the profile.
  // Seeds that can show the promise by learn then test, if none fails.
  std::uint32_t seeds_needed = 0;
  BoundKind binding = BoundKind::kPercentileMargin;  // The lower of the two.
};

// A point of the price of dependability: the cheapest plan that was found for a probability.
struct PricePoint {
  double promised = 0;
  double probability = 0;
  double cost_mean = 0;
};

// Mean passes and cost of the simulated runs on one block.
struct Usage {
  std::uint32_t block = 0;
  double passes_mean = 0;
  double cost_mean = 0;
  std::vector<double> shares;  // Share of runs that train on it, for each point of `bands`.
};

// What a planner claims for its plan. All claims follow from the laws, so they can be computed
// again.
struct Claims {
  Setting setting;               // The laws. Its variants are the blocks of the plan.
  double probability = 0;        // Simulated on the continuous process.
  double probability_lower = 0;  // Lower bound: support.percentile, limited by the number of seeds.
  Support support;
  double cost_mean = 0;
  double cost_95 = 0;
  double seconds_mean = 0;
  double seconds_95 = 0;
  std::vector<Band> bands;
  std::vector<Usage> usage;        // One entry for each block that some run uses.
  std::vector<PricePoint> prices;  // Sorted by promised probability.
  std::vector<Candidate> runners_up;
  std::vector<Assumption> assumptions;
};

struct Plan {
  Planner planner = Planner::kByHand;
  std::vector<std::string> data;  // Names of the data sets that are used.
  std::vector<Block> blocks;
  std::uint32_t first_block = 0;
  std::optional<PolicySpec> policy;  // Set in closed-loop plans only.
  // Training stops when the metric on the deciding split is at or below this (accuracy: 1 -
  // accuracy). It is below the target by z times sqrt(2) standard errors of an evaluation, because
  // a checkpoint that looks good on one split is then measured on another (winner's curse). z =
  // Phi^-1((1 + probability) / 2): half of the failures that the promise allows are reserved for
  // that measurement, and half for the training.
  double stop_metric = 0;
  double certify_s = 0;          // Time reserved before the deadline to evaluate the checkpoint.
  std::optional<Claims> claims;  // Absent in a plan by hand only.
  std::string reason;            // The reason for the choice of this plan.
};

// The decision that no plan keeps the promise, with the reason and the nearest promises that can be
// kept. Each of these changes one value.
struct Infeasible {
  ReasonClass reason_class = ReasonClass::kFloor;
  std::string reason;
  // The nearest feasible values, each with the others as promised. The target is in the promise's
  // own terms.
  std::optional<double> target;
  std::optional<double> probability;
  std::optional<double> deadline_s;
  std::optional<double> budget;
  std::optional<std::uint32_t> seeds;  // Number of profiled seeds that would suffice.
  std::optional<Plan> best_effort;

  // The plan that comes closest to the promise, with its claims; null if it would train nothing.
  [[nodiscard]] const Plan* closest() const {
    const bool trains = best_effort && best_effort->claims && !best_effort->claims->usage.empty();
    return trains ? &*best_effort : nullptr;
  }
};

using Decision = std::variant<Plan, Infeasible>;

}  // namespace surety::plan
