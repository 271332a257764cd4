#include "elastic/ownership/resting.h"

#include <gmock/gmock.h>

namespace surety::elastic {
namespace resting_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::vector<WorkerId> kFour{WorkerId{1}, WorkerId{2}, WorkerId{3}, WorkerId{4}};
const std::map<WorkerId, std::uint64_t> kTenEach{
    {WorkerId{1}, 10}, {WorkerId{2}, 10}, {WorkerId{3}, 10}, {WorkerId{4}, 10}};

TEST(Resting, TheNewestRest) {
  EXPECT_THAT(resting(kFour, kTenEach, 2, 1000), ElementsAre(WorkerId{3}, WorkerId{4}));
}

TEST(Resting, NoWorkerRestsIfAllAreNeeded) {
  EXPECT_THAT(resting(kFour, kTenEach, 4, 1000), IsEmpty());
  EXPECT_THAT(resting(kFour, kTenEach, 9, 1000), IsEmpty());
}

TEST(Resting, AtLeastOneWorkerWorks) { EXPECT_EQ(resting(kFour, kTenEach, 0, 1000).size(), 3u); }

// The two that work can receive the 20 bytes if each may receive 10 bytes, but not if each may
// receive 9.
TEST(Resting, TheNumberThatBeginsToRestIsLimitedByBytes) {
  EXPECT_EQ(resting(kFour, kTenEach, 2, 10).size(), 2u);
  EXPECT_THAT(resting(kFour, kTenEach, 2, 9), ElementsAre(WorkerId{4}));
  const std::map<WorkerId, std::uint64_t> later{
      {WorkerId{1}, 15}, {WorkerId{2}, 15}, {WorkerId{3}, 10}};
  EXPECT_THAT(resting(kFour, later, 2, 9), ElementsAre(WorkerId{3}, WorkerId{4}));
}

TEST(Resting, AWorkerWithoutChunksRestsInAdditionToOneAboveTheLimit) {
  const std::map<WorkerId, std::uint64_t> bytes{
      {WorkerId{1}, 10}, {WorkerId{2}, 10}, {WorkerId{4}, 10}};
  EXPECT_THAT(resting(kFour, bytes, 2, 1), ElementsAre(WorkerId{3}, WorkerId{4}));
}

TEST(Resting, OneBeginsToRestEvenAboveTheLimit) {
  EXPECT_THAT(resting(kFour, kTenEach, 2, 1), ElementsAre(WorkerId{4}));
}

}  // namespace resting_test
}  // namespace surety::elastic
