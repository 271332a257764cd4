#include "runtime/worker/timer_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace surety::runtime {
namespace timer_queue_test {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(TimerQueue, WhatIsDueFirstComesFirstAndOnce) {
  TimerQueue timers;
  timers.set(Time(seconds(3)), 1);
  timers.set(Time(seconds(2)), 2);
  timers.set(Time(seconds(9)), 3);
  EXPECT_THAT(timers.take_due(Time(seconds(1))), IsEmpty());
  EXPECT_THAT(timers.take_due(Time(seconds(3))), ElementsAre(2u, 1u));
  EXPECT_THAT(timers.take_due(Time(seconds(3))), IsEmpty());
}

TEST(TimerQueue, NothingIsWaitedForLongerThanItsTime) {
  TimerQueue timers;
  EXPECT_EQ(timers.until_next(Time(seconds(1))), Duration::max());
  timers.set(Time(seconds(3)), 1);
  EXPECT_EQ(timers.until_next(Time(seconds(1))), Duration(seconds(2)));
  EXPECT_EQ(timers.until_next(Time(seconds(5))), Duration::zero());
}

}  // namespace timer_queue_test
}  // namespace surety::runtime
