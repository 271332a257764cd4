#include "bench/fabric_sim/simulation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/fabric_sim/baselines.h"

namespace surety::bench::sim {
namespace simulation_sim_test {

using namespace fabric;

using ::testing::IsEmpty;

SimulationOptions quiet(std::uint32_t workers, std::uint32_t servers) {
  SimulationOptions options;
  options.world.workers = workers;
  options.world.servers = servers;
  options.classes = servers == 1 ? 1 : 4;
  options.blocks = 16;
  options.warm_up_s = 3;
  options.horizon_s = 10;
  return options;
}

TEST(Simulation, QuietClusterReachesWhatItsPortsAllow) {
  // 8 workers, a cycle of 0.3 s of computing and 0.08 s each way: 17.4 updates per second at most.
  SimulationOptions options = quiet(8, 1);
  EXPECT_NEAR(simulate(options).updates_per_s, 16.9, 0.8);
  options.quorum = {.batch = 8};
  EXPECT_NEAR(simulate(options).updates_per_s, 15.8, 0.8);
  options.quorum = {.batch = 8 / 3};
  options.local_steps_max = 8;
  EXPECT_NEAR(simulate(options).updates_per_s, 26.7, 0.8);  // Computing is the limit: 8 / 0.3.
}

TEST(Simulation, WithoutAggregatorsTheServersPortBounds) {
  SimulationOptions options = quiet(8, 1);
  options.aggregator_bytes = 0;
  EXPECT_LT(simulate(options).updates_per_s, 12.5);
}

TEST(Baselines, AreWhatTheirBottlenecksAllow) {
  BaselineOptions options;
  options.world.workers = 8;
  // At first all workers push at once, and half of the server's port is idle.
  options.warm_up_s = 60;
  options.horizon_s = 60;
  EXPECT_NEAR(naive_server(options), 9.9, 0.6);
  EXPECT_NEAR(ring(options), 16.6, 0.8);
  options.world.workers = 30;
  // The server's port allows 12.5 in all.
  EXPECT_NEAR(naive_server(options), 11.8, 0.7);
}

// Random configurations and network conditions together must never break these invariants.
TEST(Simulation, KeepsItsInvariantsWithAnyLinkRates) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Random random(seed);
    SimulationOptions options = quiet(4 + static_cast<std::uint32_t>(random.below(3)),
                                      static_cast<std::uint32_t>(random.below(3)));
    options.world.seed = seed;
    options.world.scenario = kScenarios[seed % 5];
    options.blocks = 8;
    options.horizon_s = 8;
    const QuorumOptions quorums[] = {{}, {.batch = 2}, {.ahead = 2}};
    options.quorum = quorums[random.below(3)];
    options.local_steps_max = random.below(2) == 0 ? 0 : 4;
    if (random.below(2) == 1) options.staleness_max = 20;
    options.aggregator_bytes = 5e6 + 20e6 * random.uniform();
    const SimulationResult result = simulate(options);
    // Each block of each accepted update is applied once, and the versions agree.
    ASSERT_THAT(result.violations, IsEmpty()) << "seed " << seed;
    ASSERT_LE(result.staged_most_bytes, options.aggregator_bytes * (1 + 1e-9));
    // No worker starves: a straggler's step takes up to 5 s.
    ASSERT_LT(result.longest_silence_s, 10) << "seed " << seed;
    ASSERT_GT(result.updates, 5u) << "seed " << seed;
  }
}

TEST(Simulation, DivergenceIsWithinTheBoundAtEveryEvent) {
  std::uint64_t shipments = 0;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    SimulationOptions options = quiet(5, 1);
    options.world.seed = seed;
    options.world.scenario = kScenarios[2];
    options.horizon_s = 6;
    options.replication = {.mode = ReplicationMode::kBounded,
                           .divergence_max = 0.4 + 0.2 * static_cast<double>(seed)};
    const SimulationResult result = simulate(options);
    ASSERT_LE(result.divergence_most, options.replication.divergence_max) << "seed " << seed;
    ASSERT_GT(result.divergence_most, 0) << "seed " << seed;
    ASSERT_THAT(result.violations, IsEmpty());
    shipments += result.shipments;
  }
  EXPECT_GT(shipments, 10u);
}

TEST(Simulation, MirroredReplicaIsNeverOff) {
  SimulationOptions options = quiet(8, 1);
  const double alone = simulate(options).updates_per_s;
  options.replication.mode = ReplicationMode::kMirror;
  const SimulationResult mirrored = simulate(options);
  EXPECT_EQ(mirrored.divergence_most, 0);
  EXPECT_GT(mirrored.updates_per_s, 0.95 * alone);
}

TEST(Simulation, WithABoundStragglersAreDroppedAndStillComeThrough) {
  // One worker of ten needs the time of 2-4 steps: with a bound of 8 versions it is always too
  // late, but every second update of it is sent in any case.
  SimulationOptions options = quiet(10, 1);
  options.world.scenario = {.name = "one", .stragglers = true};
  options.staleness_max = 8;
  options.horizon_s = 15;
  const SimulationResult result = simulate(options);
  EXPECT_GT(result.drops, 0u);
  EXPECT_LT(result.longest_silence_s, 8);
}

// Little's law: between reading and commit, X * E[time] updates commit. Of these, 7 of 8
// are of other workers, and a few share the round of the update that waits.
TEST(Simulation, MeanStalenessIsTheRateTimesTheTimeFromReadingToCommit) {
  SimulationOptions options = quiet(8, 1);
  options.horizon_s = 20;
  const SimulationResult result = simulate(options);
  const double ratio = result.staleness_mean / (result.updates_per_s * result.read_to_commit_s);
  EXPECT_GT(ratio, 0.80);
  EXPECT_LT(ratio, 0.88);
}

TEST(Simulation, SameSeedGivesTheSameActionsToTheBit) {
  SimulationOptions options = quiet(6, 0);
  options.world.scenario = kScenarios[3];
  options.horizon_s = 4;
  options.keep_log = true;
  const SimulationResult first = simulate(options);
  const SimulationResult second = simulate(options);
  ASSERT_GT(first.log.size(), 500u);
  EXPECT_EQ(first.log, second.log);
  options.world.seed = 2;
  EXPECT_NE(first.log, simulate(options).log);
}

}  // namespace simulation_sim_test
}  // namespace surety::bench::sim
