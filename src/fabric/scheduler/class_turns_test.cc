#include "fabric/scheduler/class_turns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace surety::fabric {
namespace class_turns_test {

using ::testing::ElementsAre;

TEST(ClassTurns, TheClassWhoseStartIsLongestAgoComesFirst) {
  ClassTurns turns(3);
  EXPECT_THAT(turns.order(), ElementsAre(0, 1, 2));
  turns.start(0);
  EXPECT_THAT(turns.order(), ElementsAre(1, 2, 0));
  turns.start(2);
  turns.end(0);
  EXPECT_THAT(turns.order(), ElementsAre(1, 0, 2));
  turns.start(0);
  EXPECT_THAT(turns.order(), ElementsAre(1, 2, 0));
}

TEST(ClassTurns, AClassHasARoundFromItsStartToItsEnd) {
  ClassTurns turns(2);
  EXPECT_FALSE(turns.has_round(1));
  turns.start(1);
  EXPECT_TRUE(turns.has_round(1));
  EXPECT_FALSE(turns.has_round(0));
  turns.end(1);
  EXPECT_FALSE(turns.has_round(1));
}

TEST(ClassTurns, AClassThatWaitsKeepsTheTimeSinceWhen) {
  ClassTurns turns(2);
  EXPECT_FALSE(turns.waiting_since(1));
  turns.wait(1, Time(std::chrono::seconds(3)));
  turns.wait(1, Time(std::chrono::seconds(4)));
  EXPECT_EQ(turns.waiting_since(1), Time(std::chrono::seconds(3)));
  EXPECT_FALSE(turns.waiting_since(0));
  turns.stop_waiting(1);
  EXPECT_FALSE(turns.waiting_since(1));
}

}  // namespace class_turns_test
}  // namespace surety::fabric
