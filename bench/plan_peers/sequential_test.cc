// Nodes before schedules.
#include "bench/plan_peers/sequential.h"

#include <gtest/gtest.h>

#include "test/support/plan/decision/tiny_mdp.h"
#include "test/support/plan/schedules/evaluate_fixed.h"
#include "test/support/plan/schedules/fixed_search.h"

namespace surety::bench {
namespace sequential_test {

using namespace plan;
using plan::testing::sure_mdp;
using plan::testing::tiny_mdp;
using plan::testing::tiny_starts;

TEST(Sequential, TakesForEachVersionWhatKeepsThePromiseAlone) {
  // Twice the price and half the time; three passes meet the target.
  Mdp mdp = sure_mdp(1);
  Kernel third;
  for (std::uint32_t l = 0; l < mdp.levels(); ++l) third.add_row(l < 5 ? 0 : l - 5, {1.0});
  mdp.variants[0] = {.pass = third, .duration = {0, 0, 1}, .cost = 2};
  mdp.variants[1] = {.pass = third, .duration = {0, 0, 0, 0, 1}, .cost = 1};
  const auto chosen_at = [&](std::uint32_t ticks) {
    mdp.ticks = ticks;
    return sequential_variants(mdp, tiny_starts(mdp), {0, 0, 1}, 0.9);
  };
  EXPECT_EQ(chosen_at(12), (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(chosen_at(11), (std::vector<std::size_t>{0, 2}));
  // Neither keeps the promise, so the faster one is taken.
  EXPECT_EQ(chosen_at(3), (std::vector<std::size_t>{0, 2}));
}

TEST(Sequential, FixingNodesFirstNeverCostsLess) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Mdp mdp = tiny_mdp({.ticks = 9}, seed);
    const auto starts = tiny_starts(mdp);
    const auto joint = fixed_search(mdp, starts, {0.8}, 3).plans[0];
    for (const auto& variants : all_fixed_variants({0, 1, 1})) {
      ASSERT_EQ(variants.size(), 2u);
      const Restricted part = restricted_to(mdp, starts, variants);
      const auto fixed = fixed_search(part.mdp, part.starts, {0.8}, 3).plans[0];
      if (!fixed) continue;
      ASSERT_TRUE(joint);
      EXPECT_GE(fixed->cost, joint->cost - 1e-12);
      Schedule same = fixed->schedule;
      for (Leg& leg : same) leg.variant = variants[leg.variant];
      EXPECT_NEAR(evaluate_fixed(mdp, starts, same)->cost, fixed->cost, 1e-12);
    }
  }
}

}  // namespace sequential_test
}  // namespace surety::bench
