#include "learn/async/merge_turns.h"

#include <gtest/gtest.h>

namespace surety::learn {
namespace merge_turns_test {

using enum MergeMove;

TEST(MergeTurns, LearnsOnWhileAnUpdateIsUnderWay) {
  MergeTurns turns({.overlap = true});
  turns.arrive(4, false);
  EXPECT_EQ(turns.next(false), kSend);
  turns.send();
  EXPECT_EQ(turns.next(false), kLearn);
  turns.arrive(4, false);
  EXPECT_EQ(turns.next(false), kLearn);
  turns.arrive(4, false);
  EXPECT_EQ(turns.next(true), kAdopt);
  turns.adopt(false);
  EXPECT_EQ(turns.next(false), kSend);
}

TEST(MergeTurns, WaitsAfterSoManyPointsWithoutAnAnswer) {
  MergeTurns turns({.overlap = true, .unsent_max = 2});
  turns.arrive(1, false);
  turns.send();
  turns.arrive(1, false);
  EXPECT_EQ(turns.next(false), kLearn);
  turns.arrive(1, false);
  EXPECT_EQ(turns.next(false), kWait);
}

TEST(MergeTurns, WithoutOverlapEachUpdateIsWaitedFor) {
  MergeTurns turns({.overlap = false});
  turns.arrive(1, false);
  EXPECT_EQ(turns.next(false), kSend);
  turns.send();
  EXPECT_EQ(turns.next(false), kWait);
  EXPECT_EQ(turns.next(true), kAdopt);
  turns.adopt(false);
  EXPECT_EQ(turns.next(false), kLearn);
}

TEST(MergeTurns, WhatWasDroppedGoesAgainBeforeTheEnd) {
  MergeTurns turns({.overlap = true});
  turns.arrive(3, true);
  turns.send();
  EXPECT_EQ(turns.next(false), kWait);
  turns.adopt(true);
  EXPECT_EQ(turns.next(false), kSend);
  turns.send();
  turns.adopt(false);
  EXPECT_EQ(turns.next(false), kLearn);
}

TEST(MergeTurns, AnEndWithNothingNewSendsNothing) {
  MergeTurns turns({.overlap = true});
  turns.arrive(0, true);
  EXPECT_EQ(turns.next(false), kLearn);
}

}  // namespace merge_turns_test
}  // namespace surety::learn
