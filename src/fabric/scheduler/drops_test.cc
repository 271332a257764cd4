#include "fabric/scheduler/drops.h"

#include <gtest/gtest.h>

namespace surety::fabric {
namespace drops_test {

TEST(Slack, CountsTheCommitsOfTheTimeOnTheWay) {
  // Read at 100, now 104, bound 10: six commits may precede it. At 2 commits a second, three of
  // them happen in 1.5 s.
  EXPECT_EQ(slack_of({.bound = 10, .version_read = 100, .version_now = 104}), 6);
  EXPECT_EQ(slack_of({.bound = 10,
                      .version_read = 100,
                      .version_now = 104,
                      .commits_per_s = 2,
                      .transfer_s = 1.5}),
            3);
}

TEST(Slack, IsNegativeForWhatIsTooLate) {
  EXPECT_EQ(slack_of({.bound = 3, .version_read = 100, .version_now = 104}), -1);
}

TEST(DropGuard, AWorkerIsNotDroppedTwiceInARow) {
  DropGuard guard;
  const WorkerId worker{3};
  ASSERT_TRUE(guard.may_drop(worker));
  guard.on_dropped(worker);
  EXPECT_FALSE(guard.may_drop(worker));
  EXPECT_TRUE(guard.may_drop(WorkerId{4}));
  guard.on_accepted(worker);
  EXPECT_TRUE(guard.may_drop(worker));
}

}  // namespace drops_test
}  // namespace surety::fabric
