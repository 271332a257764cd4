#include "sim/world/alarm_clock.h"

#include <gtest/gtest.h>

#include <vector>

namespace surety::sim {
namespace alarm_clock_test {

struct World {
  EventQueue queue;
  std::vector<double> rings;  // Times of the queue's clock.
  AlarmClock clock{queue, [this] { rings.push_back(queue.now_s()); }};
  void run() {
    while (queue.run_next()) {
    }
  }
};

TEST(AlarmClock, RingsWhenTheClockShowsTheTime) {
  World world;
  world.clock.jump(5);
  EXPECT_EQ(world.clock.now_s(), 5);
  world.clock.set(7);
  world.run();
  EXPECT_EQ(world.rings, std::vector<double>{2});
}

TEST(AlarmClock, RingsOnceAtTheEarliestTimeThatItWasSetTo) {
  World world;
  for (const double time_s : {3.0, 2.0, 4.0}) world.clock.set(time_s);
  world.run();
  EXPECT_EQ(world.rings, std::vector<double>{2});
}

TEST(AlarmClock, DoesNotRingTwiceWithinAMillisecond) {
  World world;
  world.clock.set(2);
  world.run();
  world.clock.set(2);
  world.run();
  EXPECT_EQ(world.rings, (std::vector<double>{2, 2.001}));
}

TEST(AlarmClock, DoesNotRingAfterItWasStopped) {
  World world;
  world.clock.set(2);
  world.clock.stop();
  world.run();
  EXPECT_TRUE(world.rings.empty());
  world.clock.set(3);
  world.run();
  EXPECT_EQ(world.rings, std::vector<double>{3});
}

TEST(AlarmClock, CanBeSetAgainAsSoonAsItWasStopped) {
  World world;
  world.clock.set(5);
  world.clock.stop();
  world.clock.set(6);
  world.run();
  EXPECT_EQ(world.rings, std::vector<double>{6});
}

}  // namespace alarm_clock_test
}  // namespace surety::sim
