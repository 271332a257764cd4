#include "elastic/policy/shares.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>

#include "base/random.h"

namespace surety::elastic {
namespace shares_test {

using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::Optional;

constexpr CutOffOptions kNoSlack{.factor = 1.25, .slack_min_s = 0};

TEST(Shares, TheMedianOfAnEvenNumberIsTheMeanOfTheMiddle) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
}

TEST(Quotas, WhoIsTwiceAsSlowGetsHalf) {
  EXPECT_THAT(quotas(std::vector{1.0, 2.0, 2.0}, 8, 32), ElementsAre(128, 64, 64));
}

TEST(Quotas, EqualSpeedsGetEqualShares) {
  EXPECT_THAT(quotas(std::vector{3.0, 3.0}, 32, 10), ElementsAre(160, 160));
}

TEST(Quotas, EveryWorkerGetsABatch) {
  EXPECT_THAT(quotas(std::vector{1.0, 1000.0}, 4, 10), ElementsAre(30, 10));
  EXPECT_THAT(quotas(std::vector{1.0, 1.0, 1.0}, 1, 10), ElementsAre(10, 10, 10));
}

// Brute force over every division of the batches with at least one each.
double best_finish(const std::vector<double>& costs, std::size_t at, std::uint32_t batches) {
  if (at + 1 == costs.size()) return costs[at] * batches;
  double best = 1e300;
  const auto others = static_cast<std::uint32_t>(costs.size() - at - 1);
  for (std::uint32_t mine = 1; mine + others <= batches; ++mine) {
    best = std::min(best, std::max(costs[at] * mine, best_finish(costs, at + 1, batches - mine)));
  }
  return best;
}

TEST(Quotas, NoDivisionIntoBatchesEndsEarlier) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    std::vector<double> costs(1 + random.below(4));
    for (double& cost : costs) cost = 0.5 + 3 * random.uniform();
    const auto batches = static_cast<std::uint32_t>(costs.size() + random.below(9));
    const auto shares = quotas(costs, batches, 7);
    EXPECT_EQ(std::accumulate(shares.begin(), shares.end(), 0u), 7 * batches);
    double finish = 0;
    for (std::size_t k = 0; k < costs.size(); ++k) {
      finish = std::max(finish, costs[k] * shares[k] / 7);
    }
    EXPECT_THAT(finish, DoubleEq(best_finish(costs, 0, batches))) << "seed " << seed;
  }
}

TEST(Quotas, MoreSamplesThanCanBeCountedAreAsManyAsCan) {
  EXPECT_EQ(quotas(std::vector<double>{1}, 1u << 16, 1u << 16),
            std::vector<std::uint32_t>{std::numeric_limits<std::uint32_t>::max()});
}

TEST(CutOff, IsAQuarterBeyondTheMedian) {
  EXPECT_THAT(cut_off_s({4, 4, 40}, 3, kNoSlack), Optional(5.0));
}

TEST(CutOff, ShortIterationsHaveSlack) {
  EXPECT_THAT(cut_off_s({0.01, 0.01}, 2, {.factor = 1.25, .slack_min_s = 0.05}),
              Optional(DoubleEq(0.06)));
}

TEST(CutOff, ASingleWorkerIsNotCutOff) { EXPECT_EQ(cut_off_s({4}, 1, kNoSlack), std::nullopt); }

TEST(CutOff, HalfOfThemKnownIsTooFew) {
  EXPECT_EQ(cut_off_s({4, 4}, 4, kNoSlack), std::nullopt);
  EXPECT_THAT(cut_off_s({4, 4, 4}, 4, kNoSlack), Optional(5.0));
}

}  // namespace shares_test
}  // namespace surety::elastic
