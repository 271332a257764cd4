#include "bench/fabric_sim/replication.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"

namespace surety::bench::sim {
namespace replication_test {

using namespace fabric;

using enum RoundReplication;

TEST(Shadow, DistanceIsExactAndMirroredSumsDoNotChangeIt) {
  Shadow shadow({0, 0, 0, 0}, 2);
  EXPECT_EQ(shadow.apply(0, std::vector<float>{3, 4}, false), 5);
  EXPECT_EQ(shadow.apply(0, std::vector<float>{10, 10}, true), 5);
  EXPECT_EQ(shadow.distance(1), 0);
}

TEST(Shadow, ShippedValueCountsUntilAcknowledged) {
  Shadow shadow({0}, 1);
  shadow.apply(0, std::vector<float>{3}, false);
  EXPECT_EQ(shadow.ship(0)[0], 3);
  // The model is back at 0. This is the replica's old value, but 3 away from the shipped value,
  // which the replica may already have.
  EXPECT_EQ(shadow.apply(0, std::vector<float>{-3}, false), 3);
  EXPECT_EQ(shadow.on_acknowledged(0), 3);
  EXPECT_EQ(shadow.replica(0)[0], 3);
}

TEST(ReplicationPolicy, MirrorsWhatWouldPassTheBound) {
  ReplicationPolicy policy({.mode = ReplicationMode::kBounded, .divergence_max = 5}, 2);
  EXPECT_EQ(policy.decide(0, 4.9), kPlain);
  EXPECT_EQ(policy.decide(0, 5.1), kMirrored);
  policy.start(0, 3, kPlain);
  // Distances of 3 and 3.9 in two blocks make 4.92 in all.
  EXPECT_EQ(policy.decide(1, 3.9), kPlain);
  EXPECT_EQ(policy.decide(1, 4.1), kMirrored);
  // Distances in the same block add up to 5.1.
  EXPECT_EQ(policy.decide(0, 2.1), kMirrored);
}

TEST(ReplicationPolicy, BlockOnItsWayIsNotMirrored) {
  ReplicationPolicy policy({.mode = ReplicationMode::kBounded, .divergence_max = 5}, 2);
  policy.start(0, 3, kPlain);
  policy.on_committed(0, 3, kPlain, 3);
  ASSERT_EQ(policy.next_shipment(), 0u);
  policy.on_shipped(0);
  EXPECT_EQ(policy.decide(0, 4), kWait);
  policy.on_acknowledged(0, 0);
  EXPECT_EQ(policy.decide(0, 4), kPlain);
}

TEST(ReplicationPolicy, ShipsTheBlockThatIsFurthestOff) {
  ReplicationPolicy policy({.mode = ReplicationMode::kBounded, .divergence_max = 5}, 3);
  for (const std::uint32_t block : {0u, 1u, 2u}) {
    policy.start(block, 1, kPlain);
    policy.on_committed(block, 1, kPlain, block == 1 ? 0.9 : 0.8);
  }
  EXPECT_EQ(policy.next_shipment(), 1u);
  policy.on_shipped(1);
  EXPECT_EQ(policy.next_shipment(), std::nullopt);  // Only one block is shipped at a time.
}

TEST(ReplicationPolicy, MirrorAndNoneNeverAskForTheBound) {
  EXPECT_EQ(ReplicationPolicy({.mode = ReplicationMode::kMirror}, 1).decide(0, 1), kMirrored);
  EXPECT_EQ(ReplicationPolicy({.mode = ReplicationMode::kNone}, 1).decide(0, 1e9), kPlain);
}

// An owner and its replica with rounds and shipments in random order.
class RandomRun {
 public:
  static constexpr std::uint32_t kBlocks = 4;
  static constexpr std::size_t kEach = 3;

  RandomRun(std::uint64_t seed, double bound)
      : random_(seed),
        shadow_(std::vector<float>(kBlocks * kEach, 0.0f), kBlocks),
        policy_({.mode = ReplicationMode::kBounded, .divergence_max = bound}, kBlocks),
        replica_(kBlocks * kEach, 0.0f) {}

  void step() {
    switch (random_.below(5)) {
      case 0:
      case 1:
        return start();
      case 2:
        return finish();
      case 3:
        return ship();
      case 4:
        return acknowledge();
    }
  }

  [[nodiscard]] double claimed() const { return policy_.divergence(); }
  [[nodiscard]] double truth() const {
    double squares = 0;
    for (std::uint32_t b = 0; b < kBlocks; ++b) {
      for (std::size_t i = 0; i < kEach; ++i) {
        squares += std::pow(shadow_.model(b)[i] - replica_[b * kEach + i], 2);
      }
    }
    return std::sqrt(squares);
  }

  int plain = 0;
  int mirrored = 0;

 private:
  struct Round {
    std::uint32_t block = 0;
    std::vector<float> sum{};
    double norm = 0;
    RoundReplication how = kPlain;
  };

  void start() {
    Round round{.block = static_cast<std::uint32_t>(random_.below(kBlocks))};
    for (std::size_t i = 0; i < kEach; ++i) {
      round.sum.push_back(static_cast<float>(random_.normal()));
      round.norm = std::hypot(round.norm, round.sum.back());
    }
    round.norm *= 1 + 1e-6;  // Allows for the rounding of float sums.
    round.how = policy_.decide(round.block, round.norm);
    if (round.how == kWait) return;
    policy_.start(round.block, round.norm, round.how);
    rounds_.push_back(round);
  }

  void finish() {
    if (rounds_.empty()) return;
    const std::size_t at = random_.below(rounds_.size());
    const Round round = rounds_[at];
    rounds_.erase(rounds_.begin() + static_cast<std::ptrdiff_t>(at));
    const bool mirror = round.how == kMirrored;
    ++(mirror ? mirrored : plain);
    const double distance = shadow_.apply(round.block, round.sum, mirror);
    for (std::size_t i = 0; mirror && i < kEach; ++i) {
      replica_[round.block * kEach + i] += round.sum[i];
    }
    policy_.on_committed(round.block, round.norm, round.how, distance);
  }

  void ship() {
    const auto block = policy_.next_shipment();
    if (!block) return;
    const auto value = shadow_.ship(*block);
    policy_.on_shipped(*block);
    shipping_ = block;
    // Half of the time the replica has the value long before the owner gets the acknowledgement.
    if (random_.below(2) == 0) std::copy_n(value.begin(), kEach, &replica_[*block * kEach]);
  }

  void acknowledge() {
    if (!shipping_) return;
    policy_.on_acknowledged(*shipping_, shadow_.on_acknowledged(*shipping_));
    std::copy_n(shadow_.replica(*shipping_).begin(), kEach, &replica_[*shipping_ * kEach]);
    shipping_.reset();
  }

  Random random_;
  Shadow shadow_;
  ReplicationPolicy policy_;
  std::vector<Round> rounds_;
  // The actual values of the replica, which may be newer than the shadow.
  std::vector<float> replica_;
  std::optional<std::uint32_t> shipping_;
};

TEST(Replication, DivergenceIsNeverAboveTheBoundAtAnyEvent) {
  int plain = 0;
  int mirrored = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const double bound = 2 + static_cast<double>(seed % 5);
    RandomRun run(seed, bound);
    for (int event = 0; event < 200; ++event) {
      run.step();
      ASSERT_LE(run.truth(), bound) << "seed " << seed << " event " << event;
      ASSERT_LE(run.claimed(), bound) << "seed " << seed << " event " << event;
    }
    plain += run.plain;
    mirrored += run.mirrored;
  }
  EXPECT_GT(plain, 1000);
  EXPECT_GT(mirrored, 1000);
}

}  // namespace replication_test
}  // namespace surety::bench::sim
