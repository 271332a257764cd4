#include <gtest/gtest.h>
#include <sched.h>

#include "base/posix/clock.h"
#include "base/posix/cpu.h"
#include "base/posix/wait_testing.h"
#include "test/support/base/posix/cpu_time.h"

namespace surety::posix {
namespace machine_posix_test {

TEST(Clock, MonotonicTimeDoesNotGoBack) {
  const Time first = now();
  EXPECT_LE(first, now());
}

TEST(Clock, WallClockIsAfterThisCodeWasWritten) { EXPECT_GT(unix_seconds(), 1.7e9); }

TEST(Clock, WorkCostsProcessTime) {
  const double before_s = process_cpu_seconds();
  EXPECT_TRUE(wait_until({.what = "process time",
                          .holds =
                              [&] {
                                volatile int sink = 0;
                                for (int i = 0; i < 100'000; ++i) sink = sink + i % 7;
                                return process_cpu_seconds() > before_s;
                              },
                          .pause = {}}));
}

TEST(UsableCores, AreNoMoreThanTheAffinityAllows) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(usable_cores(), 1);
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
  EXPECT_GE(usable_cores(), 1);
  EXPECT_LE(usable_cores(), CPU_COUNT(&before));
}

TEST(InstructionSets, Avx512ImpliesAvx2) { EXPECT_TRUE(has_avx2() || !has_avx512f()); }

TEST(HostName, IsNotEmpty) { EXPECT_FALSE(host_name().empty()); }

}  // namespace machine_posix_test
}  // namespace surety::posix
