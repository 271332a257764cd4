#include "fabric/lanes/lanes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"
#include "test/support/fabric/lanes/check_transfers.h"

namespace surety::fabric {
namespace lanes_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<WorkerId> workers(std::initializer_list<std::uint32_t> ids) {
  std::vector<WorkerId> result;
  for (const std::uint32_t id : ids) result.push_back(WorkerId{id});
  return result;
}

const Operation kPush{workers({1, 2, 3}), workers({0}), 10};
const Slice kWhole{0, 10};

TEST(Lanes, SharesOfAQuarterAndTheRestCutTenElementsIntoThreeAndSeven) {
  EXPECT_THAT(cut_lanes(kWhole, {{WorkerId{1}, 0.25}, {WorkerId{2}, 0.75}}),
              ElementsAre(Lane{WorkerId{1}, {0, 3}}, Lane{WorkerId{2}, {3, 7}}));
}

TEST(Lanes, ShareTooSmallForAnElementIsNoLaneAndNeighboursOfOneHubAreOne) {
  EXPECT_THAT(
      cut_lanes(
          kWhole,
          {{WorkerId{1}, 0.5}, {WorkerId{3}, 0.001}, {WorkerId{1}, 0.25}, {WorkerId{2}, 0.249}}),
      ElementsAre(Lane{WorkerId{1}, {0, 8}}, Lane{WorkerId{2}, {8, 2}}));
}

TEST(CheckTransfers, EveryCutOfEveryOperationGivesEachSinkEachInputOnce) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Random random(seed);
    Operation operation{.elements = 1 + random.below(200)};
    std::vector<Share> shares;
    for (std::uint32_t id = 0; id < 6; ++id) {
      if (random.uniform() < 0.5) operation.sources.push_back(WorkerId{id});
      if (random.uniform() < 0.5) operation.sinks.push_back(WorkerId{id});
      shares.push_back({WorkerId{id}, random.uniform()});
    }
    if (operation.sources.empty() || operation.sinks.empty()) continue;
    const Slice whole{0, operation.elements};
    const auto lanes = cut_lanes(whole, shares);
    EXPECT_EQ(lane_error(whole, lanes), "");
    EXPECT_EQ(check_transfers(operation, transfers_of(operation, lanes)), "");
  }
}

TEST(Lanes, BlocksCoverTheVectorAndDifferByAtMostOneElement) {
  for (std::uint64_t elements : {0u, 3u, 9u, 100u}) {
    std::uint64_t at = 0;
    for (std::uint32_t b = 0; b < 9; ++b) {
      const Slice block = block_slice(elements, 9, b);
      EXPECT_EQ(block.first, at);
      EXPECT_EQ(block.count, elements / 9 + (b < elements % 9 ? 1 : 0));
      at += block.count;
    }
    EXPECT_EQ(at, elements);
  }
}

TEST(CheckTransfers, OneTransferLessOrTwiceOrSwappedIsFound) {
  const auto lanes = cut_lanes(kWhole, {{WorkerId{0}, 0.5}, {WorkerId{2}, 0.5}});
  const auto good = transfers_of(kPush, lanes);
  ASSERT_EQ(check_transfers(kPush, good), "");
  for (std::size_t i = 0; i < good.size(); ++i) {
    auto bad = good;
    bad.erase(bad.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_NE(check_transfers(kPush, bad), "") << "without " << i;
    bad = good;
    bad.insert(bad.begin(), good[i]);
    EXPECT_NE(check_transfers(kPush, bad), "") << "twice " << i;
  }
  auto bad = good;
  std::rotate(bad.begin(), bad.end() - 1, bad.end());
  EXPECT_THAT(check_transfers(kPush, bad), HasSubstr("after it sent its sum"));
}

TEST(Misplaced, LanesThatOverlapOrLeaveAGapOrBeginElsewhereAreRefused) {
  const WorkerId hub{1};
  EXPECT_EQ(lane_error(kWhole, {{hub, {0, 4}}, {hub, {4, 6}}}), "");
  EXPECT_THAT(lane_error(kWhole, {{hub, {0, 4}}, {hub, {3, 7}}}), HasSubstr("lane 1"));
  EXPECT_THAT(lane_error(kWhole, {{hub, {0, 4}}, {hub, {5, 5}}}), HasSubstr("lane 1"));
  EXPECT_THAT(lane_error(kWhole, {{hub, {1, 9}}}), HasSubstr("lane 0"));
  EXPECT_THAT(lane_error(kWhole, {{hub, {0, 9}}}), HasSubstr("end at 9"));
  EXPECT_THAT(lane_error(kWhole, {{hub, {0, 11}}}), HasSubstr("lane 0"));
  EXPECT_THAT(lane_error(kWhole, {}), HasSubstr("end at 0"));
}

}  // namespace lanes_test
}  // namespace surety::fabric
