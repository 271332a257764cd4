#include "elastic/policy/gap_window.h"

#include <gtest/gtest.h>

#include <cmath>

namespace surety::elastic {
namespace gap_window_test {

// Adds iterations of one unit of time, with this fall of ln(gap) in each.
void add(GapWindow& window, double& depth, double& time, double fall, int iterations) {
  for (int i = 0; i < iterations; ++i) window.add(time += 1, std::exp(-(depth += fall)));
}

TEST(GapWindow, TheFirstObservationIsTheStartingPoint) {
  GapWindow window({});
  window.add(10, 1);
  EXPECT_EQ(window.iterations(), 0u);
  window.add(12, std::exp(-3));
  EXPECT_EQ(window.iterations(), 1u);
  EXPECT_DOUBLE_EQ(window.iteration_time(), 2);
  EXPECT_DOUBLE_EQ(window.rate(), 1.5);
  EXPECT_DOUBLE_EQ(window.depth(), 1.5);
}

TEST(GapWindow, NoSingleBadIterationMovesTheRate) {
  GapWindow window({});
  double depth = 0;
  double time = 0;
  add(window, depth, time, 0.1, 6);
  window.add(time += 1, std::exp(5));
  EXPECT_NEAR(window.rate(), 0.1, 1e-9);
}

TEST(GapWindow, IsFullWhenTheGapHasFallenOrAfterSoManyIterations) {
  GapWindow falls({.iterations_min = 2, .iterations_max = 8, .fall = 0.5});
  double depth = 0;
  double time = 0;
  add(falls, depth, time, 0.3, 2);
  EXPECT_FALSE(falls.is_full());
  add(falls, depth, time, 0.3, 1);
  EXPECT_TRUE(falls.is_full());

  GapWindow stays({.iterations_min = 2, .iterations_max = 8, .fall = 0.5});
  add(stays, depth, time, 0.01, 8);
  EXPECT_FALSE(stays.is_full());
  add(stays, depth, time, 0.01, 1);
  EXPECT_TRUE(stays.is_full());
}

TEST(GapWindow, AfterARestartOnlyTheLastObservationCounts) {
  GapWindow window({});
  double depth = 0;
  double time = 0;
  add(window, depth, time, 0.1, 5);
  window.restart();
  EXPECT_EQ(window.iterations(), 0u);
  add(window, depth, time, 0.4, 1);
  EXPECT_NEAR(window.rate(), 0.4, 1e-9);
}

TEST(GapWindow, SlidingKeepsTheShortestPartThatIsFullButNoFewerThanTheMinimum) {
  GapWindow window({.iterations_min = 2, .iterations_max = 24, .fall = 0.5});
  double depth = 0;
  double time = 0;
  add(window, depth, time, 0.2, 7);
  window.slide();
  EXPECT_EQ(window.iterations(), 3u);  // Two fall by 0.4, which is not enough.
  add(window, depth, time, 2, 3);
  window.slide();
  EXPECT_EQ(window.iterations(), 2u);
}

TEST(GapWindow, SlidingMakesRoomInAWindowThatIsAsLongAsItMayBe) {
  GapWindow window({.iterations_min = 2, .iterations_max = 8, .fall = 0.5});
  double depth = 0;
  double time = 0;
  add(window, depth, time, 0.01, 9);
  window.slide();
  EXPECT_EQ(window.iterations(), 7u);
  EXPECT_FALSE(window.is_full());
}

}  // namespace gap_window_test
}  // namespace surety::elastic
