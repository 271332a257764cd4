#include "sim/world/user.h"

#include <gtest/gtest.h>

namespace surety::sim {
namespace user_test {

using orchestrator::Ending;

TEST(User, ResumesARunThatFailedOrWhoseDataWereDamagedANumberOfTimes) {
  User user(2);
  EXPECT_TRUE(user.resumes({Ending::kFailed, "no workers"}));
  EXPECT_TRUE(user.resumes({Ending::kBadInput, "a damaged chunk"}));
  EXPECT_FALSE(user.resumes({Ending::kFailed, "no workers"}));
}

TEST(User, LeavesARunThatHasEndedOtherwise) {
  User user(1);
  for (const Ending ending : {Ending::kComplete, Ending::kInterrupted, Ending::kPaused}) {
    EXPECT_FALSE(user.resumes({ending, "an end"}));
  }
  EXPECT_TRUE(user.resumes({Ending::kFailed, "no workers"}));
}

}  // namespace user_test
}  // namespace surety::sim
