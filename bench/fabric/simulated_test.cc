#include "bench/fabric/simulated.h"

#include <gtest/gtest.h>

#include "bench/fabric/async.h"

namespace surety::bench {
namespace simulated_test {

AsyncWork quiet(std::uint32_t workers) {
  return {.id = 1, .world = test_bed(workers, 1), .warm_s = 1, .seconds = 4};
}

TEST(Simulated, AsynchronousWorkersAreNotFasterThanTheirPortsAndNotMuchSlower) {
  // A step takes 0.3 s of computing and 1 MB each way over 11.96 MB/s. Two workers so make 4.3
  // steps a second, and a tenth more because shapers pass bursts at once.
  const AsyncWork work = quiet(2);
  const auto answers = simulate_training(async_job(work));
  ASSERT_TRUE(answers) << answers.error().message;
  // This also checks that every update is in the model once.
  const auto rate = updates_per_s(work, *answers);
  ASSERT_TRUE(rate) << rate.error().message;
  EXPECT_LT(*rate, 4.3 * 1.2);
  EXPECT_GT(*rate, 4.3 * 0.85);
}

TEST(Simulated, NobodyWaitsForAWorkerWithASlowPort) {
  AsyncWork work = quiet(8);
  work.warm_s = 2;
  work.seconds = 8;
  const double slow_bytes_per_s = work.world.bytes_per_s / 10;
  const Ports ports = {{kSlowHost, {slow_bytes_per_s, slow_bytes_per_s}}};
  const auto eight = simulate_training(async_job(work), ports);
  ASSERT_TRUE(eight) << eight.error().message;
  const auto rate = updates_per_s(work, *eight);
  ASSERT_TRUE(rate) << rate.error().message;
  work.world.workers = 7;
  const auto seven = simulate_training(async_job(work));
  ASSERT_TRUE(seven) << seven.error().message;
  EXPECT_GT(*rate, 0.9 * *updates_per_s(work, *seven));
}

TEST(Simulated, TheSameScriptGivesTheSameRun) {
  AsyncWork work = quiet(3);
  work.world.scenario = kDisturbed;
  const auto first = simulate_training(async_job(work));
  const auto second = simulate_training(async_job(work));
  ASSERT_TRUE(first && second);
  EXPECT_EQ(*first, *second);
  work.world.seed = 2;
  EXPECT_NE(*first, *simulate_training(async_job(work)));
}

nlohmann::json push_of(std::uint32_t sources, std::uint64_t elements) {
  nlohmann::json job = {{"way", "lanes"},
                        {"round", 1},
                        {"elements", elements},
                        {"blocks", 16},
                        {"sinks", {0}},
                        {"planner", 0},
                        {"window_first", 1},
                        {"window_max", 8},
                        {"measures", true},
                        {"sources", {}},
                        {"mirrors", nlohmann::json::array()},
                        {"hubs", {}},
                        {"ports", {{12.5e6, 12.5e6}}}};
  for (std::uint32_t host = 1; host <= sources; ++host) {
    job["sources"].push_back(host);
    job["hubs"].push_back(host);
    job["ports"].push_back({12.5e6, 12.5e6});
  }
  return job;
}

TEST(Simulated, PushOfManyTakesLittleLongerThanThatOfOne) {
  // Each source's port takes 0.16 s for 2 MB with headers, less the burst that a shaper passes at
  // once.
  const auto seconds = simulate_lanes(push_of(4, 500'000), test_bed(4, 1), {});
  ASSERT_TRUE(seconds) << seconds.error().message;
  EXPECT_GT(*seconds, 0.155);
  EXPECT_LT(*seconds, 0.21);
}

TEST(Simulated, PortThatIsSlowerMakesThePushLonger) {
  const std::map<std::uint32_t, fabric::Port> slow = {{2, {1.25e6, 12.5e6}}};
  const auto seconds = simulate_lanes(push_of(4, 500'000), test_bed(4, 1), slow);
  ASSERT_TRUE(seconds) << seconds.error().message;
  EXPECT_GT(*seconds, 1.5);  // The whole vector of the host must pass its port.
}

}  // namespace simulated_test
}  // namespace surety::bench
