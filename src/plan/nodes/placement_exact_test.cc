// Compares the choice of nodes with exact references: all subsets, and a mixed integer program
// (CBC).
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <CbcModel.hpp>
#include <OsiClpSolverInterface.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/random.h"
#include "plan/laws/time_model.h"
#include "plan/nodes/node_options.h"
#include "plan/nodes/useful_nodes.h"

namespace surety::plan {
namespace placement_exact_test {

constexpr double kNever = std::numeric_limits<double>::infinity();

VersionLaw law_on(std::uint32_t workers, double eval_s) {
  VersionLaw law;
  law.version = "full";
  law.workers = workers;
  law.time = {.pass_s = 10, .nodes = static_cast<double>(workers), .eval_s = eval_s, .log_sd = 0.1};
  return law;
}

enum class Kind : std::uint8_t { kSteady, kMixed };  // kMixed includes spot nodes and stragglers.

std::vector<NodeType> draw_nodes(std::size_t types, std::uint32_t count_max, Kind kind,
                                 std::uint64_t seed) {
  Random random(seed);
  std::vector<NodeType> nodes;
  for (std::size_t i = 0; i < types; ++i) {
    NodeType type{.name = fmt::format("type-{}", i)};
    type.count = static_cast<std::uint32_t>(1 + random.below(count_max));
    type.speed_factor = 0.5 + 2 * random.uniform();
    type.price_per_s = 0.01 * type.speed_factor * std::exp(0.4 * random.normal());
    if (kind == Kind::kMixed && random.below(2) == 0) {
      type.price_per_s *= 0.35;
      type.preemptions_per_s = 0.02 * random.uniform();
      type.restart_s = 10 * random.uniform();
    }
    if (kind == Kind::kMixed && random.below(3) == 0) type.straggle_sd = 0.3;
    nodes.push_back(type);
  }
  return nodes;
}

// A choice of nodes by its mean pass. Sums and formula follow the header and do not use the
// library's code.
struct Choice {
  double speed = 0;
  double price = 0;
  double pass_s = 0;
  double pass_cost = 0;
};

Choice choice_of(const VersionLaw& law, const std::vector<NodeType>& nodes,
                 const std::vector<std::uint32_t>& counts) {
  Choice choice;
  double loss = 0;
  double straggle_sd = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (counts[i] == 0) continue;
    choice.speed += counts[i] * nodes[i].speed_factor;
    choice.price += counts[i] * nodes[i].price_per_s;
    loss += counts[i] * nodes[i].preemptions_per_s * nodes[i].restart_s;
    straggle_sd = std::max(straggle_sd, nodes[i].straggle_sd);
  }
  const double training_s = law.time.pass_s * law.time.nodes / choice.speed *
                            std::exp(law.time.log_sd * law.time.log_sd / 2) *
                            slowest_mean(straggle_sd, law.workers);
  choice.pass_s = (training_s + law.time.eval_s) * (1 + loss);
  choice.pass_cost = choice.price * choice.pass_s;
  return choice;
}

void extend(std::vector<std::vector<std::uint32_t>>& all, const std::vector<NodeType>& nodes,
            std::vector<std::uint32_t>& counts, std::uint32_t left) {
  const std::size_t i = counts.size();
  if (i == nodes.size()) {
    if (left == 0) all.push_back(counts);
    return;
  }
  for (std::uint32_t count = 0; count <= std::min(left, nodes[i].count); ++count) {
    counts.push_back(count);
    extend(all, nodes, counts, left - count);
    counts.pop_back();
  }
}

// Every choice of the number of nodes that the law needs, sorted by duration of a pass.
std::vector<Choice> all_choices(const VersionLaw& law, const std::vector<NodeType>& nodes) {
  std::vector<std::vector<std::uint32_t>> all;
  std::vector<std::uint32_t> counts;
  extend(all, nodes, counts, law.workers);
  std::vector<Choice> choices;
  for (const auto& one : all) choices.push_back(choice_of(law, nodes, one));
  std::sort(choices.begin(), choices.end(),
            [](const Choice& a, const Choice& b) { return a.pass_s < b.pass_s; });
  return choices;
}

double cheapest_within(const std::vector<NodeOption>& options, double limit_s) {
  double cost = kNever;
  for (const NodeOption& option : options) {
    if (option.pass_s <= limit_s * (1 + 1e-12)) cost = std::min(cost, option.pass_cost);
  }
  return cost;
}

// Cost of our cheapest option over that of the best choice, at every time limit at which the best
// choice changes.
std::vector<double> ratios_to_best(const VersionLaw& law, const std::vector<NodeType>& nodes) {
  const auto options = node_options(law, useful_nodes(nodes, {}, law.workers), law.workers);
  std::vector<double> ratios;
  double best = kNever;
  for (const Choice& choice : all_choices(law, nodes)) {
    if (choice.pass_cost >= best) continue;
    best = choice.pass_cost;
    ratios.push_back(cheapest_within(options, choice.pass_s) / best);
  }
  return ratios;
}

TEST(NodeOptions, CheapestUnderAnyTimeLimitIsNearTheBestOfAllSubsets) {
  double worst = 0;
  double sum = 0;
  double count = 0;
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    const std::size_t types = 6 + seed % 7;
    const auto workers = static_cast<std::uint32_t>(2 + seed % 4);
    const VersionLaw law = law_on(workers, seed % 2 == 0 ? 0 : 1);
    const auto nodes = draw_nodes(types, 1, seed % 3 == 0 ? Kind::kSteady : Kind::kMixed, seed);
    for (const double ratio : ratios_to_best(law, nodes)) {
      EXPECT_GE(ratio, 1 - 1e-9) << seed;  // No option is better than the best choice.
      worst = std::max(worst, ratio);
      sum += ratio;
      count += 1;
    }
  }
  EXPECT_LT(sum / count, 1.0001);
  EXPECT_LT(worst, 1.01);
}

// ---- the mixed integer program ------------------------------------------------------------------

// The nodes with the least sum of weights, `workers` of them, with a total speed of at least
// `speed`:
//   min w x   s.t.  sum x = workers,  s x >= speed,  0 <= x <= count,  x integer.
std::vector<std::uint32_t> lightest(const std::vector<NodeType>& nodes,
                                    const std::vector<double>& weights, std::uint32_t workers,
                                    double speed) {
  const int columns = static_cast<int>(nodes.size());
  std::vector<int> starts(nodes.size() + 1);
  std::vector<int> rows(2 * nodes.size());
  std::vector<double> entries(2 * nodes.size());
  std::vector<double> lower(nodes.size(), 0.0);
  std::vector<double> upper(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    starts[i + 1] = static_cast<int>(2 * i + 2);
    rows[2 * i + 1] = 1;
    entries[2 * i] = 1;
    entries[2 * i + 1] = nodes[i].speed_factor;
    upper[i] = nodes[i].count;
  }
  const double rows_lower[] = {static_cast<double>(workers), speed};
  const double rows_upper[] = {static_cast<double>(workers), COIN_DBL_MAX};
  OsiClpSolverInterface relaxation;
  relaxation.messageHandler()->setLogLevel(0);
  relaxation.loadProblem(columns, 2, starts.data(), rows.data(), entries.data(), lower.data(),
                         upper.data(), weights.data(), rows_lower, rows_upper);
  for (int i = 0; i < columns; ++i) relaxation.setInteger(i);
  CbcModel program(relaxation);
  program.setLogLevel(0);
  program.setAllowableGap(0);
  program.setCutoffIncrement(
      1e-12);  // Prices are small, and the default step would end the search early.
  program.branchAndBound();
  if (!program.isProvenOptimal()) return {};
  std::vector<std::uint32_t> counts;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    counts.push_back(static_cast<std::uint32_t>(std::lround(program.bestSolution()[i])));
  }
  return counts;
}

std::vector<double> prices_of(const std::vector<NodeType>& nodes) {
  std::vector<double> prices;
  for (const NodeType& type : nodes) prices.push_back(type.price_per_s);
  return prices;
}

// Least cost of a pass on steady nodes with at least this speed. It minimises the ratio price /
// speed by solving min price - q speed, with q the ratio so far, until the minimum is zero
// (Dinkelbach 1967). The first q must not be below the least ratio.
Choice least_cost(const VersionLaw& law, const std::vector<NodeType>& nodes, double speed,
                  double ratio) {
  for (int step = 0; step < 50; ++step) {
    std::vector<double> weights = prices_of(nodes);
    for (std::size_t i = 0; i < nodes.size(); ++i) weights[i] -= ratio * nodes[i].speed_factor;
    const Choice choice = choice_of(law, nodes, lightest(nodes, weights, law.workers, speed));
    if (choice.price / choice.speed >= ratio * (1 - 1e-12)) return choice;
    ratio = choice.price / choice.speed;
  }
  ADD_FAILURE() << "no convergence";
  return {};
}

TEST(MixedIntegerProgram, IsAsCheapAsTheBestOfAllSubsets) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const VersionLaw law = law_on(3, 0);
    const auto nodes = draw_nodes(9, 1, Kind::kSteady, seed);
    const std::vector<Choice> all = all_choices(law, nodes);
    const double speed = all[all.size() / 3].speed * (1 - 1e-9);
    double price = kNever;
    double cost = kNever;
    for (const Choice& choice : all) {
      if (choice.speed < speed) continue;
      price = std::min(price, choice.price);
      cost = std::min(cost, choice.pass_cost);
    }
    const auto counts = lightest(nodes, prices_of(nodes), law.workers, speed);
    EXPECT_NEAR(choice_of(law, nodes, counts).price / price, 1, 1e-6) << seed;
    EXPECT_NEAR(least_cost(law, nodes, speed, 1).pass_cost / cost, 1, 1e-6) << seed;
  }
}

TEST(NodeOptions, CheapestAtAnySpeedIsNearTheMixedIntegerProgram) {
  double worst = 0;
  double sum = 0;
  double count = 0;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const VersionLaw law = law_on(8, 0);
    const auto nodes = draw_nodes(20 + 10 * (seed % 4), 3, Kind::kSteady, seed);
    const auto options = node_options(law, useful_nodes(nodes, {}, law.workers), law.workers);
    const double slow_s = options.front().pass_s;
    const double fast_s = options.back().pass_s;
    for (const double share : {0.1, 0.35, 0.7}) {
      const double limit_s = fast_s + share * (slow_s - fast_s);
      const double cost = cheapest_within(options, limit_s);
      // Cost and time of a pass are price and 1, divided by speed and multiplied by the work.
      const double work = fast_s * options.back().variant.speed;
      const Choice exact = least_cost(law, nodes, work / limit_s, cost / work * (1 + 1e-9));
      const double ratio = cost / exact.pass_cost;
      EXPECT_GE(ratio, 1 - 1e-6) << seed;
      worst = std::max(worst, ratio);
      sum += ratio;
      count += 1;
    }
  }
  EXPECT_LT(sum / count, 1.002);
  EXPECT_LT(worst, 1.02);
}

TEST(MixedIntegerProgram, NothingReachesASpeedThatIsNotThere) {
  const auto nodes = draw_nodes(5, 1, Kind::kSteady, 1);
  EXPECT_TRUE(lightest(nodes, prices_of(nodes), 2, 100).empty());
}

}  // namespace placement_exact_test
}  // namespace surety::plan
