#include "fabric/allreduce/sends_in_flight.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace surety::fabric {
namespace sends_in_flight_test {

using ::testing::ElementsAre;

TEST(SendsInFlight, BytesLiveUntilTheyHaveLeft) {
  SendsInFlight sends;
  auto bytes = std::make_shared<const int>(1);
  const std::weak_ptr<const int> alive = bytes;
  sends.add(1, 7, std::move(bytes), true);
  EXPECT_FALSE(alive.expired());
  sends.on_sent(2);
  EXPECT_FALSE(alive.expired());
  sends.on_sent(1);
  EXPECT_TRUE(alive.expired());
  EXPECT_EQ(sends.size(), 0u);
}

TEST(SendsInFlight, SendsOfTheRoundAreCountedUntilItIsLeft) {
  SendsInFlight sends;
  sends.add(1, 7, nullptr, true);
  sends.add(2, 7, nullptr, false);
  sends.add(3, 8, nullptr, true);
  sends.add(4, 8, nullptr, true);
  EXPECT_EQ(sends.of_round(), 3u);
  sends.on_sent(2);
  EXPECT_EQ(sends.of_round(), 3u);
  sends.on_sent(1);
  EXPECT_EQ(sends.of_round(), 2u);
  sends.leave_round();
  EXPECT_EQ(sends.of_round(), 0u);
  EXPECT_EQ(sends.size(), 2u);
  sends.add(5, 8, nullptr, true);
  sends.on_sent(3);  // It belonged to the round before.
  EXPECT_EQ(sends.of_round(), 1u);
}

TEST(SendsInFlight, NothingIsSentToAPeerThatIsLost) {
  SendsInFlight sends;
  sends.add(1, 7, nullptr, true);
  sends.add(2, 8, nullptr, true);
  sends.add(3, 7, nullptr, false);
  EXPECT_EQ(sends.size(7), 2u);
  EXPECT_THAT(sends.peers(), ElementsAre(7, 8, 7));
  sends.forget(7);
  EXPECT_EQ(sends.size(7), 0u);
  EXPECT_EQ(sends.size(8), 1u);
  EXPECT_EQ(sends.of_round(), 1u);
  EXPECT_THAT(sends.peers(), ElementsAre(8));
}

}  // namespace sends_in_flight_test
}  // namespace surety::fabric
