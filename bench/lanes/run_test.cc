#include "bench/lanes/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/random.h"
#include "test/support/fabric/transport/memory_transport.h"

namespace surety::bench {
namespace run_test {

using namespace fabric;

using ::testing::AnyOf;
using ::testing::HasSubstr;

constexpr double kRate = 1e6;

std::vector<WorkerId> hosts(std::uint32_t first, std::uint32_t count) {
  std::vector<WorkerId> result;
  for (std::uint32_t i = 0; i < count; ++i) result.push_back(WorkerId{first + i});
  return result;
}

// All hosts of an operation on one memory network.
class LaneCluster {
 public:
  LaneCluster(const BlockedOperation& operation, std::uint32_t count, WorkerId planner,
              std::uint64_t seed, std::vector<WorkerId> hubs, double cut_probability = 0)
      : operation_(operation),
        network_({.seed = seed, .reorder = true, .cut_probability = cut_probability}),
        planner_(operation, std::move(hubs)),
        port_estimates_(
            std::vector<Port>(count, {.out_bytes_per_s = kRate, .in_bytes_per_s = kRate})) {
    Random random(seed);
    for (std::uint32_t h = 0; h < count; ++h) {
      transports_.push_back(network_.make());
      const bool source = std::ranges::count(operation.sources, WorkerId{h}) > 0;
      inputs_.emplace_back(source ? operation.elements : 0);
      outputs_.emplace_back(is_recipient(operation, WorkerId{h}) ? operation.elements : 0);
      for (float& x : inputs_[h]) x = static_cast<float>(random.uniform() - 0.5);
    }
    std::vector<std::map<WorkerId, PeerId>> peers(count);
    const std::byte greeting{};
    for (std::uint32_t h = 0; h < count; ++h) {
      for (std::uint32_t o = 0; o < h; ++o) {
        peers[h][WorkerId{o}] = *transports_[h]->connect(transports_[o]->address());
        EXPECT_TRUE(transports_[h]->send(peers[h][WorkerId{o}], {.sender = h}, {&greeting, 1}));
      }
    }
    for (bool any = true; any;) {
      any = false;
      for (std::uint32_t h = 0; h < count; ++h) {
        for (const auto& event : transports_[h]->poll({})) {
          any = true;
          const auto* received = std::get_if<Received>(&event);
          if (received != nullptr) peers[h][WorkerId{received->tag.sender}] = received->peer;
        }
      }
    }
    peers_ = peers;
    for (std::uint32_t h = 0; h < count; ++h) {
      const bool plans = planner == WorkerId{h};
      runs_.push_back(std::make_unique<LaneRun>(
          *transports_[h], WorkerId{h}, peers[h], LaneRunOptions{.round = 7, .planner = planner},
          std::make_unique<BlockedExecutor>(operation, WorkerId{h}, inputs_[h], outputs_[h]),
          plans ? LanePlanning{&planner_, &port_estimates_} : LanePlanning{}));
    }
  }

  // Runs all hosts; returns the error of the first one that has one.
  Result<void> run() {
    std::vector<bool> done(runs_.size(), false);
    for (int turn = 0; turn < 200'000 && std::ranges::count(done, false) > 0; ++turn) {
      const std::size_t h = static_cast<std::size_t>(turn) % runs_.size();
      auto events = transports_[h]->poll({});
      if (done[h]) continue;
      SURETY_TRY(const bool finished,
                 runs_[h]->advance(Time(std::chrono::microseconds(turn)), std::move(events)));
      done[h] = finished;
    }
    if (std::ranges::count(done, false) > 0) return fail(ErrorCode::kTimeout, "no end");
    return {};
  }

  std::vector<float> plain_sum() const {
    std::vector<float> sum;
    for (const WorkerId source : operation_.sources) {
      const auto& input = inputs_[source.value];
      if (sum.empty()) {
        sum = input;
      } else {
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += input[i];
      }
    }
    return sum;
  }
  void expect_plain_sum(const std::string& what) const {
    const auto sum = plain_sum();
    for (const WorkerId sink : operation_.sinks) EXPECT_EQ(outputs_[sink.value], sum) << what;
    for (const WorkerId mirror : operation_.mirrors) EXPECT_EQ(outputs_[mirror.value], sum) << what;
  }

  std::vector<float>& input(std::uint32_t host) { return inputs_[host]; }
  MemoryTransport& transport(std::uint32_t host) { return *transports_[host]; }
  PeerId peer(std::uint32_t host, std::uint32_t other) { return peers_[host].at(WorkerId{other}); }
  const LaneRun& at(std::uint32_t host) const { return *runs_[host]; }
  void kill(std::uint32_t a, std::uint32_t b) {
    network_.cut(*transports_[a], *transports_[b], "cut");
  }

 private:
  const BlockedOperation operation_;
  MemoryNetwork network_;
  BlockPlanner planner_;
  PortEstimates port_estimates_;
  std::vector<std::unique_ptr<MemoryTransport>> transports_;
  std::vector<std::map<WorkerId, PeerId>> peers_;
  std::vector<std::vector<float>> inputs_;
  std::vector<std::vector<float>> outputs_;
  std::vector<std::unique_ptr<LaneRun>> runs_;
};

const BlockedOperation kPush{hosts(1, 4), hosts(0, 1), 1000, 9};

TEST(LaneRun, PushGivesTheOwnerThePlainSumToTheBitInAnyOrderOfArrival) {
  for (std::uint64_t seed = 1; seed <= 15; ++seed) {
    LaneCluster cluster(kPush, 5, WorkerId{0}, seed, hosts(1, 4));
    const auto done = cluster.run();
    ASSERT_TRUE(done) << done.error().message;
    cluster.expect_plain_sum(fmt::format("seed {}", seed));
  }
}

TEST(LaneRun, ASecondSinkGetsTheSameBitsAsTheOwner) {
  const BlockedOperation operation{hosts(2, 4), hosts(0, 2), 1000, 5};
  LaneCluster cluster(operation, 6, WorkerId{0}, 3, hosts(2, 4));
  ASSERT_TRUE(cluster.run());
  cluster.expect_plain_sum("owner and replica");
}

// Mirrors: one that is not a member, and two that are; one of the members may be a hub.
TEST(LaneRun, AMirrorHearsTheSameBitsFromTheOwnerWhoeverSums) {
  for (const std::uint32_t mirror : {1u, 2u, 5u}) {
    for (const auto& hubs : {hosts(2, 4), hosts(2, 1), std::vector<WorkerId>{}}) {
      const BlockedOperation operation{hosts(2, 4), hosts(0, 1), 1000, 5, {WorkerId{mirror}}};
      LaneCluster cluster(operation, 6, WorkerId{0}, 3, hubs);
      const auto done = cluster.run();
      ASSERT_TRUE(done) << done.error().message;
      cluster.expect_plain_sum(fmt::format("mirror {}, {} hubs", mirror, hubs.size()));
    }
  }
}

TEST(LaneRun, PullGivesEveryMemberTheOwnersVector) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    LaneCluster cluster({hosts(0, 1), hosts(1, 4), 1000, 9}, 5, WorkerId{0}, seed, hosts(1, 4));
    ASSERT_TRUE(cluster.run());
    cluster.expect_plain_sum(fmt::format("seed {}", seed));
  }
}

TEST(LaneRun, AllReduceGivesEveryMemberTheSameSum) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    LaneCluster cluster({hosts(0, 4), hosts(0, 4), 1000, 9}, 4, WorkerId{0}, seed, {});
    ASSERT_TRUE(cluster.run());
    cluster.expect_plain_sum(fmt::format("seed {}", seed));
  }
}

TEST(LaneRun, VectorShorterThanItsBlocksArrives) {
  LaneCluster cluster({hosts(1, 4), hosts(0, 1), 3, 9}, 5, WorkerId{0}, 1, hosts(1, 4));
  ASSERT_TRUE(cluster.run());
  cluster.expect_plain_sum("three elements");
}

// 1,000 floats in 9 blocks of at most 448 bytes. A hub stages for at most 8 blocks a quarter of the
// contributions of 3 others, and the sums.
TEST(LaneRun, HubStagesNoMoreThanTheWindow) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    LaneCluster cluster(kPush, 5, WorkerId{0}, seed, hosts(1, 4));
    ASSERT_TRUE(cluster.run());
    for (std::uint32_t h = 1; h <= 4; ++h) {
      EXPECT_LE(cluster.at(h).counts().staged_bytes_max, 8u * 4 * 112) << "seed " << seed;
    }
  }
}

TEST(LaneRun, ValueThatIsNotFiniteEndsTheRunAndNamesItsSender) {
  LaneCluster cluster(kPush, 5, WorkerId{0}, 1, hosts(1, 4));
  cluster.input(3)[500] = std::numeric_limits<float>::quiet_NaN();
  const auto done = cluster.run();
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::kCorrupt);
  EXPECT_THAT(done.error().message, HasSubstr("worker 3"));
  EXPECT_THAT(done.error().message, HasSubstr("not finite"));
}

TEST(LaneRun, LostHostEndsTheRunAndIsNamed) {
  LaneCluster cluster(kPush, 5, WorkerId{0}, 1, hosts(1, 4));
  cluster.kill(2, 4);
  const auto done = cluster.run();
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(done.error().message, AnyOf(HasSubstr("host 2"), HasSubstr("host 4")));
}

// Either all hosts get the right sum, or a host reports a loss: a wrong sum never occurs.
TEST(LaneRun, CutsAtAnyMomentGiveAnErrorOrTheRightSum) {
  int failed = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    LaneCluster cluster(kPush, 5, WorkerId{0}, seed, hosts(1, 4), 0.002);
    const auto done = cluster.run();
    failed += done ? 0 : 1;
    if (done) cluster.expect_plain_sum(fmt::format("seed {}", seed));
    if (!done) {
      EXPECT_EQ(done.error().code, ErrorCode::kUnavailable) << done.error().message;
    }
  }
  EXPECT_GT(failed, 3);
  EXPECT_LT(failed, 30);
}

TEST(LaneRun, GrantFromAHostThatDoesNotPlanIsRefused) {
  LaneCluster cluster(kPush, 5, WorkerId{0}, 1, hosts(1, 4));
  const auto grant =
      encode_grant({0, cut_lanes({0, slice_of(kPush, 0).count}, {{WorkerId{2}, 1}})});
  ASSERT_TRUE(cluster.transport(2).send(cluster.peer(2, 3), {7, 2, kGrantStep}, grant));
  const auto done = cluster.run();
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message, HasSubstr("which it may not send"));
}

}  // namespace run_test
}  // namespace surety::bench
