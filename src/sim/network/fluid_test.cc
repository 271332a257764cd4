#include "sim/network/fluid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"

namespace surety::sim {
namespace fluid_test {

using Kind = Link::Kind;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<LinkLoad> flow(std::uint32_t from, std::uint32_t to) {
  return {{{Kind::kOut, from}, 1}, {{Kind::kIn, to}, 1}};
}

FluidNetwork alike(std::uint32_t hosts, double bytes_per_s) {
  FluidNetwork network(hosts, 0);
  for (std::uint32_t h = 0; h < hosts; ++h) {
    network.set_capacity({Kind::kOut, h}, bytes_per_s);
    network.set_capacity({Kind::kIn, h}, bytes_per_s);
  }
  return network;
}

TEST(FluidNetwork, SlowFlowLeavesItsShareToTheOther) {
  FluidNetwork network = alike(3, 10);
  network.set_capacity({Kind::kOut, 0}, 2);
  const JobId slow = network.start(flow(0, 2), 100);
  const JobId fast = network.start(flow(1, 2), 100);
  EXPECT_DOUBLE_EQ(network.rate(slow), 2);
  EXPECT_DOUBLE_EQ(network.rate(fast), 8);
}

TEST(FluidNetwork, JobsOfAFullPortHaveOneRateWhateverTheirLoads) {
  FluidNetwork network = alike(3, 10);
  const JobId light = network.start(flow(0, 2), 100);
  const JobId heavy = network.start(std::vector<LinkLoad>{{{Kind::kIn, 2}, 4}}, 100);
  EXPECT_DOUBLE_EQ(network.rate(light), 2);
  EXPECT_DOUBLE_EQ(network.rate(heavy), 2);  // It uses 8 bytes per second of the port.
}

TEST(FluidNetwork, BucketPassesAtTheLinesRateWhatWasNotUsed) {
  FluidNetwork network = alike(2, 10);
  network.set_bucket({Kind::kOut, 0}, 90, 100);
  network.set_bucket({Kind::kIn, 1}, 90, 100);
  network.start(flow(0, 1), 200);
  // The bucket empties at 100 - 10 a second: 100 bytes pass in one second, the other 100 in ten.
  EXPECT_DOUBLE_EQ(*network.next_end_s(), 1);
  EXPECT_THAT(network.advance(1), IsEmpty());
  EXPECT_DOUBLE_EQ(*network.next_end_s(), 10);
  EXPECT_THAT(network.advance(10), ElementsAre(1));
  // Meanwhile the bucket gains thirty bytes, which are used in a third of a second.
  network.advance(3);
  network.start(flow(0, 1), 200);
  EXPECT_DOUBLE_EQ(*network.next_end_s(), 1.0 / 3);
}

TEST(FluidNetwork, BucketLosesWhatIsMoreThanTheCapacityOnly) {
  FluidNetwork network = alike(3, 10);
  network.set_capacity({Kind::kIn, 1}, 6);
  network.set_bucket({Kind::kOut, 0}, 64, 100);
  const JobId first = network.start(flow(0, 2), 134);
  network.start(flow(0, 1), 60);
  network.advance(*network.next_end_s());
  // The other ports allow 16 a second, so the bucket loses 6 a second for ten seconds.
  EXPECT_DOUBLE_EQ(network.rate(first), 10);
  network.start(flow(0, 1), 60);
  EXPECT_NEAR(*network.next_end_s(), 4.0 / 6, 1e-9);
}

TEST(FluidNetwork, JobsEndWhenTheirBytesHaveFlowed) {
  FluidNetwork network = alike(3, 10);
  const JobId small = network.start(flow(0, 2), 10);
  const JobId large = network.start(flow(1, 2), 30);
  EXPECT_DOUBLE_EQ(*network.next_end_s(), 2);
  EXPECT_THAT(network.advance(2), ElementsAre(small));
  EXPECT_DOUBLE_EQ(*network.next_end_s(), 2);  // 20 bytes are left, at a rate of 10.
  EXPECT_THAT(network.advance(2), ElementsAre(large));
  EXPECT_EQ(network.next_end_s(), std::nullopt);
}

// Max-min fairness: no link is above its capacity, and each job uses a full link on which
// no other job has a higher rate.
TEST(FluidNetwork, IsMaxMinFair) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    constexpr std::uint32_t kHosts = 6;
    FluidNetwork network(kHosts, 0);
    for (std::uint32_t h = 0; h < kHosts; ++h) {
      for (const Kind kind : {Kind::kOut, Kind::kIn}) {
        network.set_capacity({kind, h}, 1 + 9 * random.uniform());
      }
    }
    struct Made {
      JobId id;
      std::vector<LinkLoad> loads;
    };
    std::vector<Made> jobs;
    for (int j = 0; j < 8; ++j) {
      std::map<Link, double> loads;
      for (int l = 0; l < 3; ++l) {
        const Kind kind = random.below(2) == 0 ? Kind::kOut : Kind::kIn;
        loads[{kind, static_cast<std::uint32_t>(random.below(kHosts))}] = 0.1 + random.uniform();
      }
      std::vector<LinkLoad> list;
      for (const auto& [link, load] : loads) list.push_back({link, load});
      jobs.push_back({network.start(list, 100), list});
    }
    std::map<Link, double> used;
    std::map<Link, double> level;
    for (const Made& job : jobs) {
      for (const LinkLoad& load : job.loads) {
        used[load.link] += load.per_byte * network.rate(job.id);
        level[load.link] = std::max(level[load.link], network.rate(job.id));
      }
    }
    for (const auto& [link, bytes] : used) {
      ASSERT_LE(bytes, network.capacity(link) * (1 + 1e-9));
    }
    for (const Made& job : jobs) {
      bool bottleneck = false;
      for (const LinkLoad& load : job.loads) {
        bottleneck |= used[load.link] > network.capacity(load.link) * (1 - 1e-6) &&
                      level[load.link] <= network.rate(job.id) * (1 + 1e-6);
      }
      ASSERT_TRUE(bottleneck) << "seed " << seed;
    }
  }
}

}  // namespace fluid_test
}  // namespace surety::sim
