// Which nodes become variants: single rules, and properties over random nodes.
#include "plan/nodes/placement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/random.h"
#include "plan/laws/time_model.h"
#include "plan/nodes/node_options.h"
#include "plan/nodes/useful_nodes.h"
#include "test/support/plan/synthetic_profile.h"

namespace surety::plan {
namespace placement_test {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Laws with passes of 10 s on `workers` nodes of speed 1.
Laws laws_on(std::uint32_t workers) {
  synthetic::Spec spec;
  spec.versions = {{.name = "full"}};
  spec.workers = workers;
  return synthetic::true_laws(spec);
}

NodeType make_type(const std::string& name, std::uint32_t count, double price_per_s, double speed) {
  NodeType type;
  type.name = name;
  type.count = count;
  type.price_per_s = price_per_s;
  type.speed_factor = speed;
  return type;
}

NodeType make_spot(const std::string& name, std::uint32_t count, double price_per_s,
                   double preemptions_per_s) {
  NodeType type = make_type(name, count, price_per_s, 1);
  type.preemptions_per_s = preemptions_per_s;
  type.restart_s = 10;
  return type;
}

using Counts = std::vector<NodeCount>;

std::vector<Counts> counts_of(const std::vector<Variant>& variants) {
  std::vector<Counts> counts;
  for (const Variant& variant : variants) counts.push_back(variant.counts);
  return counts;
}

double mean_s(const Laws& laws, const Variant& variant) {
  return pass_duration(laws.versions[variant.version], variant).mean_s();
}

// ---- rules --------------------------------------------------------------------------------------

TEST(Placement, SlowAndCheapOrFastAndDearAreBothChoices) {
  // A pass takes 10 s for 0.1; 8 s (speed 2.5) for 0.16 on one of each; 6.67 s for 0.2.
  const auto variants = make_variants(
      laws_on(2), {make_type("slow", 2, 0.005, 1), make_type("fast", 2, 0.015, 1.5)}, 3);
  EXPECT_THAT(
      counts_of(variants),
      ElementsAre(Counts{{"slow", 2}}, Counts{{"slow", 1}, {"fast", 1}}, Counts{{"fast", 2}}));
}

TEST(Placement, SumsAndRatesAreThoseOfTheNodesTogether) {
  NodeType a = make_spot("a", 1, 0.01, 0.01);
  NodeType b = make_spot("b", 2, 0.02, 0.03);
  b.restart_s = 30;
  a.straggle_sd = 0.1;
  b.straggle_sd = 0.2;
  a.start_s = 60;
  b.from_s = 5;
  a.until_s = 900;
  const auto variants = make_variants(laws_on(3), {b, a}, 2);
  ASSERT_EQ(variants.size(), 1u);
  const Variant& v = variants[0];
  EXPECT_EQ(v.counts, (Counts{{"a", 1}, {"b", 2}}));
  EXPECT_EQ(v.nodes, 3u);
  EXPECT_DOUBLE_EQ(v.speed, 3);
  EXPECT_DOUBLE_EQ(v.price_per_s, 0.05);
  EXPECT_DOUBLE_EQ(v.preemptions_per_s, 0.07);
  EXPECT_DOUBLE_EQ(v.restart_s, (0.01 * 10 + 0.06 * 30) / 0.07);  // Weighted by frequency.
  EXPECT_DOUBLE_EQ(v.straggle_sd, 0.2);
  EXPECT_DOUBLE_EQ(v.start_s, 60);
  EXPECT_DOUBLE_EQ(v.from_s, 5);
  EXPECT_EQ(v.until_s, 900);
}

TEST(Placement, NodesThatAreNeverPreemptedStayBesideCheapSpotNodes) {
  // Spot nodes cost 0.35 of the price, and their passes are 20 % longer. On-demand nodes are faster
  // and more certain.
  const auto variants = make_variants(
      laws_on(2), {make_type("demand", 2, 0.01, 1), make_spot("spot", 2, 0.0035, 0.01)}, 2);
  EXPECT_THAT(counts_of(variants), ElementsAre(Counts{{"spot", 2}}, Counts{{"demand", 2}}));
  // This also holds if they are slower and more expensive.
  NodeType fast = make_spot("spot", 2, 0.0035, 0.001);
  fast.speed_factor = 3;
  EXPECT_THAT(counts_of(make_variants(laws_on(2), {make_type("demand", 2, 0.01, 1), fast}, 2)),
              ElementsAre(Counts{{"spot", 2}}, Counts{{"demand", 2}}));
}

TEST(Placement, SpotNodesThatLoseMoreThanTheySpareAreNoChoice) {
  // A preemption every 5 s on average, 10 s each: two nodes take 1 + 2 * 2 times as long.
  const auto variants = make_variants(
      laws_on(2), {make_type("demand", 2, 0.01, 1), make_spot("spot", 2, 0.0035, 0.2)}, 4);
  EXPECT_THAT(counts_of(variants), ElementsAre(Counts{{"demand", 2}}));
}

TEST(Placement, NodesThatStraggleAreWorthLess) {
  // The slower of two nodes with spread 0.5 takes 1.45 times as long on average, so 10 % off the
  // price is too little.
  NodeType shaky = make_type("shaky", 2, 0.009, 1);
  shaky.straggle_sd = 0.5;
  const std::vector<NodeType> nodes{make_type("steady", 2, 0.01, 1), shaky};
  EXPECT_THAT(counts_of(make_variants(laws_on(2), nodes, 4)), ElementsAre(Counts{{"steady", 2}}));
}

TEST(Placement, NodesThatAreThereAtDifferentTimesAreNotMixed) {
  NodeType day = make_type("day", 2, 0.01, 1);
  NodeType night = make_type("night", 2, 0.005, 1);
  day.until_s = 100;
  night.from_s = 100;
  EXPECT_THAT(counts_of(make_variants(laws_on(2), {day, night}, 4)),
              ElementsAre(Counts{{"night", 2}}, Counts{{"day", 2}}));
  // With one node that is always available there are 3 nodes, by day or by night.
  const auto three = make_variants(laws_on(3), {day, night, make_type("always", 1, 0.02, 1)}, 4);
  EXPECT_THAT(counts_of(three),
              ElementsAre(Counts{{"night", 2}, {"always", 1}}, Counts{{"day", 2}, {"always", 1}}));
}

TEST(Placement, ATypeThatStartsSoonerStays) {
  NodeType late = make_type("late", 2, 0.005, 1);
  late.start_s = 300;
  EXPECT_EQ(make_variants(laws_on(2), {make_type("ready", 2, 0.01, 1), late}, 4).size(), 2u);
  late.start_s = 0;
  EXPECT_EQ(make_variants(laws_on(2), {make_type("ready", 2, 0.01, 1), late}, 4).size(), 1u);
}

TEST(Placement, ATypeThatIsAvailableLongerStays) {
  const NodeType always = make_type("always", 2, 0.01, 1);
  NodeType early = make_type("early", 2, 0.005, 1);
  NodeType late = early;
  late.name = "late";
  early.until_s = 1000;
  late.from_s = 1000;
  EXPECT_THAT(counts_of(make_variants(laws_on(2), {always, early}, 4)),
              ElementsAre(Counts{{"early", 2}}, Counts{{"always", 2}}));
  EXPECT_THAT(counts_of(make_variants(laws_on(2), {always, late}, 4)),
              ElementsAre(Counts{{"late", 2}}, Counts{{"always", 2}}));
}

TEST(Placement, OfEqualNodesTheLowerNameIsTaken) {
  const NodeType a = make_type("a", 1, 0.01, 1);
  const NodeType b = make_type("b", 1, 0.01, 1);
  EXPECT_THAT(counts_of(make_variants(laws_on(1), {a, b}, 4)), ElementsAre(Counts{{"a", 1}}));
  EXPECT_THAT(counts_of(make_variants(laws_on(1), {b, a}, 4)), ElementsAre(Counts{{"a", 1}}));
}

TEST(Placement, VersionRunsWhereItFitsIntoMemory) {
  Laws laws = synthetic::true_laws(synthetic::three_versions());
  NodeType small = make_type("small", 4, 0.001, 1);
  NodeType large = make_type("large", 4, 0.01, 1);
  small.memory_bytes = 2 << 20;
  large.memory_bytes = 8 << 20;
  const MemoryNeeds memory{{"full", 9 << 20}, {"prune:0.5", 4 << 20}, {"prune:0.75", 2 << 20}};
  const auto variants = make_variants(laws, {small, large}, memory, 4);
  EXPECT_THAT(counts_of(variants), ElementsAre(Counts{{"large", 4}}, Counts{{"small", 4}}));
  EXPECT_EQ(variants[0].version, 1u);  // No node can hold the full version.
  EXPECT_EQ(variants[1].version, 2u);
  EXPECT_THAT(make_variants(laws_on(4), {small}, {{"full", 3 << 20}}, 4), IsEmpty());
}

TEST(Placement, WithTooFewNodesAllOfThemAreUsed) {
  const auto variants =
      make_variants(laws_on(9), {make_type("dear", 2, 0.02, 1), make_type("cheap", 3, 0.01, 1)}, 4);
  EXPECT_THAT(counts_of(variants), ElementsAre(Counts{{"cheap", 3}, {"dear", 2}}));
  EXPECT_DOUBLE_EQ(mean_s(laws_on(9), variants[0]), 18);
}

TEST(Placement, NoMoreThan4096NodesAreUsed) {
  EXPECT_EQ(make_variants(laws_on(5000), {make_type("many", 4'000'000'000u, 0.01, 1)}, 2)[0].nodes,
            4096u);
}

Laws laws_on_each(const std::vector<std::uint32_t>& workers) {
  Laws laws;
  for (const std::uint32_t count : workers) laws.versions.push_back(laws_on(count).versions[0]);
  return laws;
}

TEST(Placement, EvenChoiceOfNumbersOfNodesWhereThereAreMany) {
  const auto variants =
      make_variants(laws_on_each({1, 2, 3, 4, 5, 6, 7}), {make_type("local", 7, 0.01, 1)}, 4);
  std::vector<std::uint32_t> nodes;
  for (const Variant& variant : variants) nodes.push_back(variant.nodes);
  EXPECT_THAT(nodes, ElementsAre(1, 3, 5, 7));
}

TEST(Placement, FewerNumbersOfNodesLeaveEachTwoChoices) {
  const auto variants =
      make_variants(laws_on_each({1, 2, 3, 4}),
                    {make_type("demand", 4, 0.01, 1), make_spot("spot", 4, 0.0035, 0.01)}, 4);
  EXPECT_THAT(counts_of(variants), ElementsAre(Counts{{"spot", 1}}, Counts{{"demand", 1}},
                                               Counts{{"spot", 4}}, Counts{{"demand", 4}}));
}

TEST(Placement, ChoicesAreSharedEvenlyByTheNumbersOfNodes) {
  const auto variants = make_variants(
      laws_on_each({2, 4}), {make_type("slow", 4, 0.005, 1), make_type("fast", 4, 0.015, 1.5)}, 5);
  // The cheapest and the fastest of each law. The fifth variant is a knee of the law for four
  // nodes.
  EXPECT_THAT(counts_of(variants),
              ElementsAre(Counts{{"slow", 2}}, Counts{{"fast", 2}}, Counts{{"slow", 4}}, testing::_,
                          Counts{{"fast", 4}}));
}

TEST(Placement, NodesThatCostNothingAreChosenBySpeed) {
  const auto variants =
      make_variants(laws_on(2), {make_type("slow", 2, 0, 1), make_type("fast", 2, 0, 2)}, 4);
  EXPECT_THAT(counts_of(variants), ElementsAre(Counts{{"fast", 2}}));
}

// ---- properties ---------------------------------------------------------------------------------

std::vector<NodeType> draw_nodes(std::uint64_t seed, std::size_t types) {
  Random random(seed);
  std::vector<NodeType> nodes;
  for (std::size_t i = 0; i < types; ++i) {
    NodeType type = make_type("type-" + std::to_string(i), 1 + std::uint32_t(random.below(3)),
                              0.01 * std::exp(random.normal()), 0.5 + random.uniform());
    if (random.below(2) == 0) type.preemptions_per_s = 0.001;
    type.restart_s = 60;
    if (random.below(3) == 0) type.straggle_sd = 0.2;
    if (random.below(3) == 0) type.start_s = 30;
    if (random.below(4) == 0) type.until_s = 1000;
    nodes.push_back(type);
  }
  return nodes;
}

double least_cost(const Laws& laws, const std::vector<NodeType>& nodes) {
  const Variant cheapest = make_variants(laws, nodes, 4).at(0);
  return cheapest.price_per_s * mean_s(laws, cheapest);
}

TEST(Placement, OrderOfTheNodesDoesNotMatter) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    std::vector<NodeType> nodes = draw_nodes(seed, 12);
    const auto before = counts_of(make_variants(laws_on(5), nodes, 6));
    Random random(seed);
    random.shuffle(std::span(nodes));
    EXPECT_EQ(counts_of(make_variants(laws_on(5), nodes, 6)), before) << seed;
  }
}

TEST(Placement, TwiceThePricesChooseTheSameNodes) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    std::vector<NodeType> nodes = draw_nodes(seed, 12);
    const auto before = counts_of(make_variants(laws_on(5), nodes, 6));
    for (NodeType& type : nodes) type.price_per_s *= 2;
    EXPECT_EQ(counts_of(make_variants(laws_on(5), nodes, 6)), before) << seed;
  }
}

TEST(Placement, MoreNodesNeverMakeThePassDearer) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    std::vector<NodeType> nodes = draw_nodes(seed, 12);
    const double with_all = least_cost(laws_on(4), nodes);
    nodes.erase(nodes.begin() + static_cast<std::ptrdiff_t>(seed % 12));
    EXPECT_GE(least_cost(laws_on(4), nodes), with_all * (1 - 1e-9)) << seed;
  }
}

TEST(Placement, VariantsHoldWhatThereIs) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const std::vector<NodeType> nodes = draw_nodes(seed, 30);
    const auto variants = make_variants(laws_on_each({2, 5, 9}), nodes, 6);
    EXPECT_GE(variants.size(), 4u);
    EXPECT_LE(variants.size(), 6u);
    for (const Variant& variant : variants) {
      std::uint32_t sum = 0;
      for (const NodeCount& count : variant.counts) {
        const auto type = std::ranges::find(nodes, count.type, &NodeType::name);
        EXPECT_LE(count.count, type->count);
        sum += count.count;
      }
      EXPECT_EQ(sum, variant.nodes);
      if (variant.until_s) EXPECT_LT(variant.from_s, *variant.until_s);
    }
  }
}

TEST(NodeOptions, NoneBeatsAnother) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const auto nodes = useful_nodes(draw_nodes(seed, 16), {}, 4);
    const auto options = node_options(laws_on(4).versions[0], nodes, 4);
    for (const NodeOption& a : options) {
      for (const NodeOption& b : options) EXPECT_TRUE(&a == &b || !beats(a, b)) << seed;
    }
  }
}

double fastest_s(const std::vector<NodeOption>& options) {
  return std::ranges::min(options, {}, &NodeOption::pass_s).pass_s;
}

TEST(UsefulNodes, LeavingOutTheOthersLosesNothing) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const VersionLaw law = laws_on(3).versions[0];
    const auto all = useful_nodes(draw_nodes(seed, 60), {}, 4'000'000'000u);
    const auto useful = useful_nodes(draw_nodes(seed, 60), {}, 3);
    EXPECT_EQ(all.size(), 60u);
    EXPECT_LT(useful.size(), 50u);
    const auto options = node_options(law, useful, 3);
    const auto of_all = node_options(law, all, 3);
    EXPECT_DOUBLE_EQ(options.front().pass_cost, of_all.front().pass_cost) << seed;
    EXPECT_DOUBLE_EQ(fastest_s(options), fastest_s(of_all)) << seed;
  }
}

TEST(UsefulNodes, TypeIsNeededUntilEnoughNodesAreNoWorse) {
  const std::vector<NodeType> nodes{make_type("good", 3, 0.01, 2), make_type("bad", 9, 0.02, 1)};
  EXPECT_EQ(useful_nodes(nodes, {}, 3).size(), 1u);
  EXPECT_EQ(useful_nodes(nodes, {}, 4).size(), 2u);
  EXPECT_THAT(useful_nodes({make_type("none", 0, 0.01, 1)}, {}, 4), IsEmpty());
}

TEST(UsefulNodes, TypeThatIsBetterInAnyRespectStays) {
  const NodeType good = make_type("good", 3, 0.01, 2);
  const auto kept = [&](auto set) {
    NodeType other = make_type("other", 3, 0.02, 1);
    NodeType best = good;
    set(best, other);
    return useful_nodes({best, other}, {4 << 20}, 3).size() == 2;
  };
  EXPECT_FALSE(kept([](NodeType&, NodeType&) {}));
  EXPECT_TRUE(kept([](NodeType& g, NodeType&) { g.preemptions_per_s = g.restart_s = 1; }));
  EXPECT_TRUE(kept([](NodeType& g, NodeType&) { g.straggle_sd = 0.1; }));
  EXPECT_TRUE(kept([](NodeType& g, NodeType&) { g.start_s = 10; }));
  EXPECT_TRUE(kept([](NodeType& g, NodeType&) { g.memory_bytes = 1 << 20; }));
  EXPECT_TRUE(kept([](NodeType& g, NodeType&) { g.until_s = 1000; }));
  EXPECT_TRUE(kept([](NodeType& g, NodeType&) { g.from_s = 10; }));
}

// ---- bad input ----------------------------------------------------------------------------------

std::string error_of(const NodeType& type) {
  const Result<void> result = check_nodes({make_type("ok", 1, 0, 1), type});
  return result ? "" : result.error().message;
}

std::string error_with(double NodeType::*field, double value) {
  NodeType type = make_type("edge", 2, 0.01, 1);
  type.*field = value;
  return error_of(type);
}

TEST(CheckNodes, NumbersThatMakeNoSenseAreNamed) {
  EXPECT_EQ(error_with(&NodeType::price_per_s, 0), "");
  EXPECT_EQ(error_with(&NodeType::price_per_s, -1),
            "nodes: edge: price: found -1, expected at least 0");
  EXPECT_EQ(error_with(&NodeType::price_per_s, kInfinity),
            "nodes: edge: price: found inf, expected at least 0");
  EXPECT_EQ(error_with(&NodeType::speed_factor, kNaN),
            "nodes: edge: speed factor: found nan, expected above 0");
  EXPECT_EQ(error_with(&NodeType::speed_factor, 0),
            "nodes: edge: speed factor: found 0, expected above 0");
  EXPECT_EQ(error_with(&NodeType::preemptions_per_s, -0.5),
            "nodes: edge: preemptions: found -0.5, expected at least 0");
  EXPECT_EQ(error_with(&NodeType::restart_s, -1),
            "nodes: edge: restart: found -1, expected at least 0");
  EXPECT_EQ(error_with(&NodeType::straggle_sd, kNaN),
            "nodes: edge: straggling: found nan, expected at least 0");
  EXPECT_EQ(error_with(&NodeType::start_s, -1),
            "nodes: edge: start: found -1, expected at least 0");
  EXPECT_EQ(error_with(&NodeType::from_s, kInfinity),
            "nodes: edge: available from: found inf, expected at least 0");
  EXPECT_EQ(error_with(&NodeType::from_s, 1e18), "");
  NodeType ends = make_type("edge", 2, 0.01, 1);
  ends.until_s = 0;
  EXPECT_EQ(error_of(ends), "nodes: edge: available until: found 0, expected above 0");
  ends.until_s = 100;
  EXPECT_EQ(error_of(ends), "");
  ends.from_s = 100;
  EXPECT_EQ(error_of(ends), "nodes: edge: available until 100 s, expected later than from: 100 s");
}

TEST(CheckNodes, NoNodeAndTheSameTypeTwiceAreErrors) {
  EXPECT_FALSE(check_nodes({}));
  EXPECT_EQ(check_nodes({make_type("edge", 0, 0.01, 1)}).error().message,
            "nodes: found none, expected at least one to train on");
  EXPECT_EQ(check_nodes({make_type("edge", 1, 1, 1), make_type("edge", 2, 1, 1)}).error().message,
            "nodes: edge is listed twice");
}

TEST(CheckMemory, VersionThatFitsNowhereIsNamedWithItsNeed) {
  NodeType tiny = make_type("tiny", 2, 0.01, 1);
  tiny.memory_bytes = 1 << 20;
  const MemoryNeeds memory{{"full", 40 << 20}, {"prune:0.9", (32 << 20) / 10}};
  const auto result = check_memory({tiny}, {"full", "prune:0.9"}, memory);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message,
            "nodes: tiny has 1 MiB, and no version fits: the smallest, prune:0.9, needs 3.2 MiB");
  // The need of prune:0.9 is not given.
  EXPECT_TRUE(check_memory({tiny}, {"full", "prune:0.9"}, {{"full", 40 << 20}}));
  EXPECT_TRUE(check_memory({tiny, make_type("big", 1, 1, 1)}, {"full", "prune:0.9"}, memory));
  tiny.memory_bytes = 4 << 20;
  EXPECT_TRUE(check_memory({tiny}, {"full", "prune:0.9"}, memory));
}

}  // namespace placement_test
}  // namespace surety::plan
