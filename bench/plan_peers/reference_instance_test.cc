// The reference instances have the properties that their comments claim.
#include "test/support/plan/reference_instance.h"
#include "test/support/plan/decision/hull.h"

#include <gtest/gtest.h>

#include "bench/plan_peers/block_search.h"
#include "bench/plan_peers/sequential.h"
#include "plan/decision/setting_mdp.h"
#include "plan/laws/time_model.h"
#include "test/support/plan/schedules/fixed_search.h"

namespace surety::bench {
namespace reference_instance_test {

using namespace plan;

struct Graph {
  Mdp mdp;
  std::vector<MdpStart> starts;
};

Graph graph_of(const Setting& setting, std::uint32_t levels, std::uint32_t ticks) {
  const std::vector<double> metrics = metric_levels(setting, levels);
  return {make_mdp(setting, metrics, {.levels = levels, .ticks = ticks}, RunClass{}),
          make_starts(setting, metrics)};
}

TEST(ReferenceInstance, PassesTakeAndCostWhatIsSaid) {
  const Setting setting = reference::one_cluster();
  const double ticks[] = {10, 4, 2, 1};
  const double cost[] = {10, 3.6, 1.6, 0.7};
  const Graph graph = graph_of(setting, 50, 360);
  for (std::size_t v = 0; v < 4; ++v) {
    EXPECT_DOUBLE_EQ(pass_duration(setting.law_of(v), setting.variants[v]).median_s, ticks[v]);
    EXPECT_NEAR(graph.mdp.variants[v].cost, cost[v], 1e-9);
  }
}

TEST(ReferenceInstance, FullNeedsAboutTwentySixPasses) {
  // (1 + u)^-0.75 = 0.16 / 1.92: 1 + u = 12^(4/3) = 27.5.
  const Setting setting = reference::one_cluster();
  EXPECT_NEAR(setting.laws.versions[0].curve.progress(0.54), 26.5, 0.1);
  EXPECT_FALSE(std::isfinite(setting.laws.versions[2].curve.progress(0.54)));
}

TEST(ReferenceInstance, PruningFirstPaysAndDeplFindsIt) {
  const Graph graph = graph_of(reference::one_cluster(), 50, 120);
  const std::vector<double> omegas{0.9};
  const auto exact = fixed_search(graph.mdp, graph.starts, omegas, 3).plans[0];
  const auto full = fixed_search(graph.mdp, {graph.starts[0]}, omegas, 3).plans[0];
  const auto depl = label_setting(graph.mdp, graph.starts, omegas, {}).plans[0];
  ASSERT_TRUE(exact && full && depl);
  EXPECT_LT(exact->cost, 0.95 * full->cost);
  EXPECT_GE(depl->cost, exact->cost - 1e-9);
  EXPECT_LT(depl->cost, 1.04 * exact->cost);  // With 50 levels; with 400 it is within 1 %.
}

TEST(ReferenceInstance, SpotIsWorthItButNotAlone) {
  const Setting setting = reference::spot_mix();
  const Graph graph = graph_of(setting, 40, 180);
  const auto versions = reference::version_of_variants(setting);
  const auto alone = sequential_variants(graph.mdp, graph.starts, versions, 0.95);
  EXPECT_EQ(alone, (std::vector<std::size_t>{0, 2, 4}));  // All of them are on demand.
  const Restricted on_demand = restricted_to(graph.mdp, graph.starts, alone);
  const Restricted spot = restricted_to(graph.mdp, graph.starts, {1, 3, 5});
  const MaxSuccess mixed = max_success(graph.mdp);
  const auto cost = [](const Mdp& mdp, const std::vector<MdpStart>& starts) {
    return hull(mdp, starts, 0.95, nullptr, {}).cost_at_omega;
  };
  EXPECT_LT(cost(graph.mdp, graph.starts), 0.75 * cost(on_demand.mdp, on_demand.starts));
  EXPECT_FALSE(hull(spot.mdp, spot.starts, 0.95, nullptr, {}).is_feasible);
  EXPECT_GT(mixed.probability.at(0, 4, graph.mdp.levels() - 1), 0.99);
}

}  // namespace reference_instance_test
}  // namespace surety::bench
