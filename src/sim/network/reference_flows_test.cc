#include "test/support/sim/network/reference_flows.h"

#include <gtest/gtest.h>

namespace surety::sim {
namespace reference_flows_test {

// Results of SimGrid 3.32 with CM02, which is plain max-min fairness (bench/simgrid).
const std::map<std::string, std::vector<double>> kSimGrid = {
    {"star", {3.0, 4.0, 2.0, 2.5, 1.2, 0.8}},
    {"backbone", {2.266666667, 2.0, 1.636363636, 2.166666667}},
    {"racks", {1.866666667, 2.066666667, 1.0, 1.6, 0.7, 1.7}},
    {"staggered", {1.55, 2.35, 1.6, 2.025, 1.9, 2.75}}};

TEST(ReferenceFlows, EndWhenSimGridSaysThatTheyDo) {
  for (const FlowNetwork& network : reference_flows()) {
    const std::vector<double> ends = finish_times(network);
    const std::vector<double>& theirs = kSimGrid.at(network.name);
    ASSERT_EQ(ends.size(), theirs.size());
    for (std::size_t i = 0; i < ends.size(); ++i) {
      EXPECT_NEAR(ends[i], theirs[i], 1e-6) << network.name << ", flow " << i;
    }
  }
}

}  // namespace reference_flows_test
}  // namespace surety::sim
