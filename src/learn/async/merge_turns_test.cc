#include "learn/async/merge_turns.h"

#include <gtest/gtest.h>

namespace surety::learn {
namespace merge_turns_test {

using enum MergeMove;

TEST(MergeTurns, LearnsOnWhileAnUpdateIsUnderWay) {
  MergeTurns turns({.overlap = true});
  turns.arrive(4, false);
  EXPECT_EQ(turns.next(false), kSend);
  EXPECT_EQ(turns.send(), 4u);
  EXPECT_EQ(turns.next(false), kLearn);
  turns.arrive(4, false);
  EXPECT_EQ(turns.next(false), kLearn);
  turns.arrive(4, false);
  EXPECT_EQ(turns.next(true), kAdopt);
  turns.adopt(false);
  EXPECT_EQ(turns.next(false), kSend);
  EXPECT_EQ(turns.send(), 8u);
}

TEST(MergeTurns, WaitsAfterSoManyPointsWithoutAnAnswer) {
  MergeTurns turns({.overlap = true, .unsent_max = 2});
  turns.arrive(1, false);
  static_cast<void>(turns.send());
  turns.arrive(1, false);
  EXPECT_EQ(turns.next(false), kLearn);
  turns.arrive(1, false);
  EXPECT_EQ(turns.next(false), kWait);
}

TEST(MergeTurns, WithoutOverlapEachUpdateIsWaitedFor) {
  MergeTurns turns({.overlap = false});
  turns.arrive(1, false);
  EXPECT_EQ(turns.next(false), kSend);
  static_cast<void>(turns.send());
  EXPECT_EQ(turns.next(false), kWait);
  EXPECT_EQ(turns.next(true), kAdopt);
  turns.adopt(false);
  EXPECT_EQ(turns.next(false), kLearn);
}

TEST(MergeTurns, WhatWasDroppedGoesAgainBeforeTheEnd) {
  MergeTurns turns({.overlap = true});
  turns.arrive(3, true);
  static_cast<void>(turns.send());
  EXPECT_EQ(turns.next(false), kWait);
  turns.adopt(true);
  EXPECT_EQ(turns.next(false), kSend);
  EXPECT_EQ(turns.send(), 0u);  // The batches were counted with the first sending.
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
