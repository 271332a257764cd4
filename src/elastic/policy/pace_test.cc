#include "elastic/policy/pace.h"

#include <gmock/gmock.h>

namespace surety::elastic {
namespace pace_test {

using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Optional;

constexpr WorkerId kW1{1};
constexpr WorkerId kW2{2};
const std::vector<WorkerId> kBoth{kW1, kW2};

PaceOptions two_batches_of_ten() { return {.batch = 10, .local_steps = 3}; }

// Worker 1 takes 0.1 s for a sample, worker 2 twice as long.
void learn(Pace& pace) {
  for (int i = 0; i < 3; ++i) {
    pace.observe(kW1, 30, 30, 3);
    pace.observe(kW2, 30, 30, 6);
  }
}

std::map<WorkerId, std::vector<Work>> work(std::uint32_t of_1, std::uint32_t of_2) {
  return {{kW1, {{.chunk = ChunkId{0}, .version = 1, .first = 0, .count = of_1}}},
          {kW2, {{.chunk = ChunkId{1}, .version = 1, .first = 0, .count = of_2}}}};
}

TEST(Pace, QuotasFollowTheSpeedsOnceTheyAreKnown) {
  Pace pace(two_batches_of_ten());
  EXPECT_THAT(pace.quotas(kBoth), ElementsAre(std::pair{kW1, 30u}, std::pair{kW2, 30u}));
  learn(pace);
  EXPECT_THAT(pace.quotas(kBoth), ElementsAre(std::pair{kW1, 40u}, std::pair{kW2, 20u}));
}

TEST(Pace, WithoutRebalancingQuotasAndCostsAreEqual) {
  PaceOptions options = two_batches_of_ten();
  options.policies.rebalance = false;
  Pace pace(options);
  learn(pace);
  EXPECT_THAT(pace.quotas(kBoth), ElementsAre(std::pair{kW1, 30u}, std::pair{kW2, 30u}));
  EXPECT_THAT(pace.boundary(kBoth, 10, true, 0).costs, IsEmpty());
  EXPECT_FALSE(pace.moves_chunks());
}

TEST(Pace, NoisySpeedsAreNotWorthSmallMoves) {
  Pace quiet(two_batches_of_ten());
  Pace noisy(two_batches_of_ten());
  for (int i = 0; i < 9; ++i) {
    quiet.observe(kW1, 10, 10, 1);
    // The times 1, 1 and 2 repeat.
    noisy.observe(kW1, 10, 10, i % 3 == 0 ? 1 : i % 3);
  }
  for (int i = 0; i < 5; ++i) noisy.observe(kW1, 10, 10, i % 2 == 0 ? 1.5 : 0.5);
  EXPECT_EQ(quiet.boundary(kBoth, 10, false, 0).placement.imbalance_min, 0.02);
  EXPECT_GT(noisy.boundary(kBoth, 10, false, 0).placement.imbalance_min, 0.1);
}

TEST(Pace, AWorkerThatWasCutIsLearnedFromWhatItDid) {
  Pace pace(two_batches_of_ten());
  for (int i = 0; i < 2; ++i) {
    pace.observe(kW1, 30, 10, 2);
    pace.observe(kW2, 30, 30, 3);
  }
  EXPECT_THAT(pace.quotas(kBoth), ElementsAre(std::pair{kW1, 20u}, std::pair{kW2, 40u}));
}

TEST(Pace, TheRestOfAPassDoesNotChangeTheSpeed) {
  Pace pace(two_batches_of_ten());
  learn(pace);
  static_cast<void>(pace.quotas(kBoth));
  // This is less than half of the quota of 40.
  for (int i = 0; i < 9; ++i) pace.observe(kW1, 19, 19, 19);
  EXPECT_THAT(pace.quotas(kBoth), ElementsAre(std::pair{kW1, 40u}, std::pair{kW2, 20u}));
}

// 40 and 20 samples take 4 s each.
TEST(Pace, TheCutIsAQuarterBeyondAWholeQuota) {
  Pace pace(two_batches_of_ten());
  EXPECT_EQ(pace.cut_off_s(work(30, 30)), std::nullopt);
  learn(pace);
  static_cast<void>(pace.quotas(kBoth));
  EXPECT_THAT(pace.cut_off_s(work(40, 20)), Optional(DoubleEq(5)));
  EXPECT_THAT(pace.cut_off_s(work(40, 1)), Optional(DoubleEq(5)));
}

TEST(Pace, WhereIterationsArePassesTheCutGoesByTheWork) {
  PaceOptions options = two_batches_of_ten();
  options.whole_passes = true;
  Pace pace(options);
  learn(pace);
  static_cast<void>(pace.quotas(kBoth));
  EXPECT_THAT(pace.cut_off_s(work(40, 20)), Optional(DoubleEq(5)));
  EXPECT_THAT(pace.cut_off_s(work(80, 40)), Optional(DoubleEq(10)));
}

TEST(Pace, WithoutCutOffNobodyIsCut) {
  PaceOptions options = two_batches_of_ten();
  options.policies.cut_off = false;
  Pace pace(options);
  learn(pace);
  EXPECT_EQ(pace.cut_off_s(work(40, 20)), std::nullopt);
}

TEST(Pace, AnotherModelHasOtherSpeeds) {
  Pace pace(two_batches_of_ten());
  learn(pace);
  pace.on_model_changed();
  EXPECT_THAT(pace.quotas(kBoth), ElementsAre(std::pair{kW1, 30u}, std::pair{kW2, 30u}));
}

TEST(Pace, ChunksAreShuffledOnceAPassWithAnotherSeedEachTime) {
  PaceOptions options;
  EXPECT_FALSE(Pace(options).boundary(kBoth, 10, true, 0).shuffle.has_value());
  options.policies.shuffle = true;
  const Pace pace(options);
  EXPECT_FALSE(pace.boundary(kBoth, 10, false, 0).shuffle.has_value());
  EXPECT_TRUE(pace.boundary(kBoth, 10, true, 0).shuffle.has_value());
  EXPECT_NE(pace.boundary(kBoth, 10, true, 0).shuffle_seed,
            pace.boundary(kBoth, 10, true, 1).shuffle_seed);
}

}  // namespace pace_test
}  // namespace surety::elastic
