#include <gtest/gtest.h>

#include "sim/seeds.h"

namespace surety::sim {
namespace seeds_sim_test {

TEST(Seeds, TheSameSeedGivesTheSameTrace) {
  std::string first_lines;
  std::string second_lines;
  const SimResult first = run_seed(3, SeedKind::kSynchronous, &first_lines);
  const SimResult second = run_seed(3, SeedKind::kSynchronous, &second_lines);
  EXPECT_EQ(first.trace, second.trace);
  EXPECT_EQ(first_lines, second_lines);
  EXPECT_NE(first.trace, run_seed(4).trace);
}

TEST(Seeds, AHundredRunsWithFaultsKeepEveryInvariantAndEnd) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    std::string lines;
    const SimResult result = run_seed(seed, SeedKind::kSynchronous, &lines);
    EXPECT_EQ(result.violation, std::nullopt) << "seed " << seed << "\n" << lines;
  }
}

// To run more seeds: surety sim --seeds 1:1000 --asynchronous.
TEST(Seeds, AFewAsynchronousRunsWithFaultsKeepEveryInvariantAndEnd) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    std::string lines;
    const SimResult result = run_seed(seed, SeedKind::kAsynchronous, &lines);
    EXPECT_EQ(result.violation, std::nullopt) << "seed " << seed << "\n" << lines;
  }
}

}  // namespace seeds_sim_test
}  // namespace surety::sim
