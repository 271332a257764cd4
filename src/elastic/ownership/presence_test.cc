#include "elastic/ownership/presence.h"

#include <gmock/gmock.h>

namespace surety::elastic {
namespace presence_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr WorkerId kW1{1};
constexpr WorkerId kW2{2};
constexpr WorkerId kW3{3};

WorkerPresence presence_of_three() {
  WorkerPresence presence;
  for (const WorkerId worker : {kW3, kW1, kW2}) presence.join(worker);
  return presence;
}

TEST(WorkerPresence, AWorkerStaysUntilItLeaves) {
  WorkerPresence presence = presence_of_three();
  EXPECT_THAT(presence.staying(), ElementsAre(kW1, kW2, kW3));
  EXPECT_THAT(presence.leaving(), IsEmpty());
  presence.leave(kW2);
  EXPECT_THAT(presence.staying(), ElementsAre(kW1, kW3));
  EXPECT_THAT(presence.leaving(), ElementsAre(kW2));
  EXPECT_THAT(presence.live(), ElementsAre(kW1, kW2, kW3));
}

TEST(WorkerPresence, ALeaverDepartsWhenItHasNoChunk) {
  WorkerPresence presence = presence_of_three();
  presence.leave(kW2);
  EXPECT_FALSE(presence.has_departed(kW2));
  presence.has_no_chunk(kW2);
  EXPECT_TRUE(presence.has_departed(kW2));
  EXPECT_THAT(presence.leaving(), IsEmpty());
  EXPECT_THAT(presence.live(), ElementsAre(kW1, kW3));
}

TEST(WorkerPresence, AStayingWorkerNeedsNoChunk) {
  WorkerPresence presence = presence_of_three();
  presence.has_no_chunk(kW1);
  EXPECT_FALSE(presence.has_departed(kW1));
  EXPECT_THAT(presence.staying(), ElementsAre(kW1, kW2, kW3));
}

TEST(WorkerPresence, TheDeadAreLostOnceAndDoNotDepart) {
  WorkerPresence presence = presence_of_three();
  presence.leave(kW2);
  EXPECT_TRUE(presence.lose(kW1));
  EXPECT_TRUE(presence.lose(kW2));
  EXPECT_FALSE(presence.lose(kW2));
  presence.leave(kW1);
  presence.has_no_chunk(kW2);
  EXPECT_FALSE(presence.has_departed(kW2));
  EXPECT_THAT(presence.live(), ElementsAre(kW3));
}

TEST(WorkerPresence, ADepartedWorkerIsNotLost) {
  WorkerPresence presence = presence_of_three();
  presence.leave(kW2);
  presence.has_no_chunk(kW2);
  EXPECT_FALSE(presence.lose(kW2));
  EXPECT_TRUE(presence.has_departed(kW2));
}

TEST(WorkerPresence, AnUnknownWorkerNeitherLeavesNorIsLost) {
  WorkerPresence presence;
  presence.leave(kW1);
  presence.has_no_chunk(kW1);
  EXPECT_FALSE(presence.lose(kW1));
  EXPECT_FALSE(presence.has_joined(kW1));
  EXPECT_FALSE(presence.has_departed(kW1));
}

TEST(WorkerPresenceDeathTest, AnIdIsNeverUsedAgain) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  WorkerPresence presence = presence_of_three();
  presence.lose(kW1);
  EXPECT_DEATH(presence.join(kW1), "is_new");
}

}  // namespace presence_test
}  // namespace surety::elastic
