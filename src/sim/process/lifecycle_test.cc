#include "sim/process/lifecycle.h"

#include <gtest/gtest.h>

#include <string>

namespace surety::sim {
namespace lifecycle_test {

struct World {
  EventQueue queue;
  Lifecycle life{queue};
  std::string done;
  Lifecycle::Action act(char name) {
    return [this, name] { done += name; };
  }
  void run() {
    while (queue.run_next()) {
    }
  }
};

TEST(Lifecycle, EventsDuringAStallAreHandledAfterItInOrder) {
  World world;
  world.life.soon(world.act('a'));
  EXPECT_EQ(world.done, "a");
  world.life.stall_until(5);
  world.life.soon(world.act('b'));
  world.life.after(1, world.act('c'));
  world.queue.at(4, [&] { EXPECT_EQ(world.done, "a"); });
  world.run();
  EXPECT_EQ(world.done, "abc");
  EXPECT_EQ(world.queue.now_s(), 5);
}

TEST(Lifecycle, NothingHappensAfterTheEnd) {
  World world;
  world.life.after(1, world.act('a'));
  world.life.stall_until(2);
  world.life.soon(world.act('b'));
  EXPECT_TRUE(world.life.end(false));
  EXPECT_FALSE(world.life.end(true));
  world.life.soon(world.act('c'));
  world.run();
  EXPECT_EQ(world.done, "");
  EXPECT_FALSE(world.life.runs());
  EXPECT_FALSE(world.life.is_silent());
}

TEST(Lifecycle, AnActionThatEndsTheProcessDropsTheRemainingActions) {
  World world;
  world.life.stall_until(2);
  world.life.soon(world.act('a'));
  world.life.soon([&] { static_cast<void>(world.life.end(false)); });
  world.life.soon(world.act('b'));
  world.run();
  EXPECT_EQ(world.done, "a");
}

TEST(Lifecycle, ALaterStallReplacesTheEndOfAnEarlierOne) {
  World world;
  world.life.stall_until(2);
  world.life.stall_until(5);
  world.life.soon(world.act('a'));
  world.queue.at(3, [&] { EXPECT_TRUE(world.life.is_stalled()); });
  world.run();
  EXPECT_EQ(world.done, "a");
}

TEST(Lifecycle, ResumingEndsAStallEarly) {
  World world;
  world.life.stall_until(5);
  world.life.soon(world.act('a'));
  world.life.go_on();
  EXPECT_EQ(world.done, "a");
  EXPECT_FALSE(world.life.is_stalled());
}

}  // namespace lifecycle_test
}  // namespace surety::sim
