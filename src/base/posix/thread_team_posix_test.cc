#include "base/posix/thread_team.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace surety::posix {
namespace thread_team_posix_test {

TEST(ThreadTeam, EveryPartIsDoneOnceACall) {
  for (const std::size_t size : {1u, 2u, 5u}) {
    ThreadTeam team(size);
    std::vector<int> done(size, 0);
    for (int call = 1; call <= 300; ++call) {
      team.run([&](std::size_t i) { ++done[i]; });
      EXPECT_EQ(done, std::vector<int>(size, call));
    }
  }
}

TEST(ThreadTeam, PartsSeeWhatThePartsOfTheLastCallWrote) {
  // Each part takes the number of its neighbour: after `size` calls all numbers are back in place.
  ThreadTeam team(4);
  std::vector<std::size_t> now{0, 1, 2, 3};
  for (int call = 0; call < 4; ++call) {
    std::vector<std::size_t> next(4);
    team.run([&](std::size_t i) { next[i] = now[(i + 1) % 4]; });
    now = next;
  }
  EXPECT_EQ(now, (std::vector<std::size_t>{0, 1, 2, 3}));
}

// The part is long enough for the waiting thread to fall asleep.
TEST(ThreadTeam, ALongPartIsWaitedFor) {
  for (const std::size_t long_one : {0u, 1u}) {
    ThreadTeam team(2);
    std::vector<std::uint64_t> sum(2, 0);
    for (int call = 0; call < 3; ++call) {
      team.run([&](std::size_t i) {
        for (std::uint64_t k = 0; i == long_one && k < 2'000'000; ++k) sum[i] += k % 3;
      });
    }
    EXPECT_EQ(sum[long_one], 3 * 1'999'999u);
  }
}

TEST(ThreadTeam, ATeamThatNeverWorkedEnds) { const ThreadTeam team(3); }

}  // namespace thread_team_posix_test
}  // namespace surety::posix
