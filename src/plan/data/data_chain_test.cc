// The density chain, its best prefix and the bound on what a better choice could save.
#include "plan/data/data_chain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

#include "base/random.h"
#include "test/support/plan/data/data_bound.h"

namespace surety::plan {
namespace data_chain_test {

struct RandomSpec {
  std::size_t sets = 8;
  std::size_t labels = 4;
  bool priced = false;
};

// Sets of about 100 samples; some have few labels, some have all.
LabelledSets random_sets(const RandomSpec& spec, Random random) {
  LabelledSets sets(std::vector<double>(spec.labels, 100.0 * static_cast<double>(spec.sets)));
  for (std::size_t i = 0; i < spec.sets; ++i) {
    const double size = 100 * std::exp(0.8 * random.normal());
    std::vector<LabelSamples> labels;
    double samples = 0;
    for (std::uint32_t label = 0; label < spec.labels; ++label) {
      labels.push_back({label, std::floor(size * std::pow(random.uniform(), 3))});
      samples += labels.back().samples;
    }
    const double price = spec.priced ? 0.02 * samples * std::exp(random.normal()) : 0;
    sets.add(labels, samples, price);
  }
  return sets;
}

DataCosts random_costs(const LabelledSets& sets, Random random) {
  double samples = 0;
  for (std::size_t i = 0; i < sets.size(); ++i) samples += sets.samples(i);
  return {.sample_price = 1e-3,
          .pass_price = (0.05 + 0.3 * random.uniform()) * 1e-3 * samples,
          .passes = 20,
          .exponent = 0.5 + random.uniform()};
}

// The objective by its definition, without the chain's arithmetic.
double objective_by_definition(const LabelledSets& sets, const DataCosts& costs,
                               const std::vector<std::size_t>& chosen) {
  std::vector<double> kept(sets.labels());
  double price = 0;
  double samples = 0;
  double coverage = 0;
  for (const std::size_t set : chosen) {
    for (const auto& [label, count] : sets.entries(set)) kept[label] += count;
    price += sets.price(set);
    samples += sets.samples(set);
  }
  for (std::size_t label = 0; label < kept.size(); ++label) {
    coverage += sets.weight(label) * std::sqrt(kept[label]);
  }
  const double passes = costs.passes / std::pow(std::max(coverage, 1e-6), costs.exponent);
  return price + passes * (costs.pass_price + costs.sample_price * samples);
}

double cheapest(const LabelledSets& sets, const DataCosts& costs) {
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t mask = 1; mask < std::size_t{1} << sets.size(); ++mask) {
    std::vector<std::size_t> chosen;
    for (std::size_t i = 0; i < sets.size(); ++i) {
      if ((mask >> i & 1) != 0) chosen.push_back(i);
    }
    best = std::min(best, objective_by_definition(sets, costs, chosen));
  }
  return best;
}

// The greedy algorithm by its definition: all gains are computed again for each set.
std::vector<std::size_t> greedy_order(const LabelledSets& sets, const DataCosts& costs) {
  std::vector<double> kept(sets.labels());
  std::vector<std::size_t> order;
  std::vector<std::size_t> left(sets.size());
  std::iota(left.begin(), left.end(), std::size_t{0});
  const auto density = [&](std::size_t set) {
    double gain = 0;
    for (const auto& [label, count] : sets.entries(set)) {
      if (count <= 0) continue;
      gain +=
          sets.weight(label) * (count / (std::sqrt(kept[label] + count) + std::sqrt(kept[label])));
    }
    const double cost = sets.price(set) + sets.samples(set) * costs.sample_price * costs.passes;
    return gain / std::max(cost, 1e-12);
  };
  while (!left.empty()) {
    const auto next = std::ranges::max_element(left, {}, density);  // The first of equals.
    for (const auto& [label, count] : sets.entries(*next)) kept[label] += count;
    order.push_back(*next);
    left.erase(next);
  }
  return order;
}

LabelledSets one_label(const std::vector<std::pair<double, double>>& samples_and_prices) {
  double all = 0;
  for (const auto& [samples, price] : samples_and_prices) all += samples;
  LabelledSets sets({all});
  for (const auto& [samples, price] : samples_and_prices) {
    sets.add(std::vector<LabelSamples>{{0, samples}}, samples, price);
  }
  return sets;
}

TEST(DataChain, PassesGrowAsCoverageFalls) {
  const DataCosts costs{.passes = 20, .exponent = 0.5};
  EXPECT_DOUBLE_EQ(passes_at(costs, 1), 20);
  EXPECT_DOUBLE_EQ(passes_at(costs, 0.25), 40);
  EXPECT_DOUBLE_EQ(passes_at(costs, 0), passes_at(costs, 1e-6));
}

TEST(DataChain, ObjectiveIsPricePlusPassesTimesTheirCost) {
  // A quarter of the samples has coverage 1/2, so 20 / (1/2) = 40 passes of 3 + 0.1 * 25.
  const LabelledSets sets = one_label({{25, 7}, {75, 0}});
  const DataCosts costs{.sample_price = 0.1, .pass_price = 3, .passes = 20, .exponent = 1};
  EXPECT_DOUBLE_EQ(objective(sets, costs, std::vector<std::size_t>{0}), 7 + 40 * 5.5);
}

TEST(DataChain, HeapGivesTheOrderOfPlainGreedy) {
  for (std::uint64_t seed = 0; seed < 16; ++seed) {
    const Random random(seed);
    const LabelledSets sets = random_sets({.sets = 60, .priced = seed % 2 == 0}, random);
    const DataCosts costs = random_costs(sets, random.fork("costs"));
    DataChain chain = density_chain(sets, costs);
    std::vector<std::size_t> expected = greedy_order(sets, costs);
    // The best prefix was changed by exchanges, and sets that are too expensive were put last. The
    // others keep their order.
    std::vector<std::size_t> place(sets.size());
    for (std::size_t i = 0; i < expected.size(); ++i) place[expected[i]] = i;
    const auto before = [&](std::size_t a, std::size_t b) { return place[a] < place[b]; };
    const auto begin = chain.order.begin();
    const auto best = begin + static_cast<std::ptrdiff_t>(chain.best);
    const auto dear = begin + static_cast<std::ptrdiff_t>(chain.worthwhile);
    EXPECT_TRUE(std::is_sorted(begin, best, before)) << seed;
    EXPECT_TRUE(std::is_sorted(best, dear, before)) << seed;
    EXPECT_TRUE(std::is_sorted(dear, chain.order.end(), before)) << seed;
  }
}

TEST(DataChain, EqualSetsComeInTheirOrder) {
  const LabelledSets sets = one_label({{10, 0}, {10, 0}, {10, 0}, {10, 0}});
  EXPECT_EQ(density_chain(sets, {}).order, (std::vector<std::size_t>{0, 1, 2, 3}));
}

TEST(DataChain, WithoutAnyCostSamplesStandForCost) {
  // The first gains per cost are sqrt(.8) / 80 = .011 and sqrt(.2) / 20 = .022, so the smaller set
  // is denser.
  const LabelledSets sets = one_label({{80, 0}, {20, 0}});
  EXPECT_EQ(density_chain(sets, {.sample_price = 0}).order, (std::vector<std::size_t>{1, 0}));
}

TEST(DataChain, LargeSetThatMakesASmallOneNeedlessReplacesIt) {
  // Coverage per price: sqrt(.1) / 20 = .016 against sqrt(.9) / 90 = .011, so the chain begins with
  // the small set. Both sets cost 110 + 100. The large set alone costs 90 + 100 / .9 = 201.1.
  const LabelledSets sets = one_label({{10, 20}, {90, 90}});
  const DataCosts costs{.sample_price = 0, .pass_price = 100, .passes = 1, .exponent = 2};
  const DataChain chain = density_chain(sets, costs);
  EXPECT_EQ(chain.order[0], 1u);
  EXPECT_EQ(chain.best, 1u);
  EXPECT_NEAR(chain.objective, 90 + 100 / 0.9, 1e-9);
}

TEST(DataChain, SetThatCostsMoreThanAllTheRestTogetherIsNotWorthwhile) {
  const LabelledSets sets = one_label({{10, 1000}, {45, 0}, {45, 0}});
  const DataCosts costs{.sample_price = 0.01, .pass_price = 1, .passes = 20, .exponent = 1};
  const DataChain chain = density_chain(sets, costs);
  EXPECT_EQ(chain.worthwhile, 2u);
  EXPECT_EQ(chain.order.back(), 0u);
}

TEST(DataChain, IsCloseToTheCheapestSubsetAndItsBoundIsBelow) {
  double ratios = 0;
  double gaps = 0;
  double worst = 1;
  constexpr int kSeeds = 200;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    Random random(1000 + seed);
    const std::size_t count = 2 + random.below(9) + (seed % 40 == 0 ? 2 : 0);
    const LabelledSets sets =
        random_sets({.sets = count, .labels = 3, .priced = seed % 2 == 0}, random.fork("sets"));
    const DataCosts costs = random_costs(sets, random.fork("costs"));
    const DataChain chain = density_chain(sets, costs);
    const double best = cheapest(sets, costs);
    EXPECT_LE(lower_bound(sets, costs, chain), best * (1 + 1e-12)) << seed;
    EXPECT_GE(chain.objective, best * (1 - 1e-12)) << seed;
    EXPECT_NEAR(
        chain.objective,
        objective_by_definition(
            sets, costs,
            {chain.order.begin(), chain.order.begin() + static_cast<std::ptrdiff_t>(chain.best)}),
        1e-9 * best);
    ratios += chain.objective / best / kSeeds;
    worst = std::max(worst, chain.objective / best);
    gaps += gap(sets, costs, chain) / kSeeds;
  }
  EXPECT_LE(ratios, 1.003);
  EXPECT_LE(worst, 1.05);
  EXPECT_LE(gaps, 0.01);
  RecordProperty("worst", std::to_string(worst));
}

TEST(DataChain, BoundStaysCloseWhereNoExhaustiveSearchIsPossible) {
  for (const std::size_t count : {30u, 2000u}) {
    const Random random(count);
    const LabelledSets sets = random_sets({.sets = count, .labels = 6, .priced = true}, random);
    const DataCosts costs = random_costs(sets, random.fork("costs"));
    const double saved = gap(sets, costs, density_chain(sets, costs));
    EXPECT_GE(saved, 0);
    EXPECT_LE(saved, 0.05) << count;
  }
}

TEST(DataChain, OneMoreDataSetNeverRaisesTheOptimum) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    // Both have the same weights of labels: full coverage does not depend on the offered sets.
    const Random random(seed);
    const LabelledSets more = random_sets({.sets = 12, .priced = true}, random);
    LabelledSets less(std::vector<double>(4, 1200.0));
    for (std::size_t i = 0; i + 1 < more.size(); ++i) {
      const auto entries = more.entries(i);
      less.add(entries, more.samples(i), more.price(i));
    }
    const DataCosts costs = random_costs(more, random.fork("costs"));
    const DataChain with = density_chain(more, costs);
    const DataChain without = density_chain(less, costs);
    const double bound = lower_bound(more, costs, with);
    EXPECT_LE(bound, without.objective * (1 + 1e-12)) << seed;
    // The cost of the chain itself does not rise either, up to the gap.
    EXPECT_LE(with.objective, without.objective * with.objective / bound * (1 + 1e-12)) << seed;
  }
}

TEST(DataChain, AmongManyAlikeNoneIsLostAndTheBestPrefixIsAsGood) {
  // There are more similar sets than the heap may evaluate. The rest is added by thresholds, and
  // every set is in the order once.
  const LabelledSets sets = random_sets({.sets = 3000, .labels = 2}, Random(1));
  const DataCosts costs = random_costs(sets, Random(2));
  DataChain chain = density_chain(sets, costs);
  EXPECT_LE(gap(sets, costs, chain), 0.03);
  std::sort(chain.order.begin(), chain.order.end());
  for (std::size_t i = 0; i < chain.order.size(); ++i) ASSERT_EQ(chain.order[i], i);
}

TEST(DataChain, NoSamplesAndNoSetsAreAnswered) {
  EXPECT_TRUE(density_chain(LabelledSets(std::vector<double>{}), {}).order.empty());
  const DataChain chain = density_chain(one_label({{0, 0}, {0, 3}}), {});
  EXPECT_EQ(chain.order.size(), 2u);
}

}  // namespace data_chain_test
}  // namespace surety::plan
