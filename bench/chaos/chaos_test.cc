#include "chaos.h"

#include <gtest/gtest.h>

#include <set>

#include "judgement.h"

namespace surety::bench {
namespace chaos_test {

proto::JournalRecord began(double unix_s) {
  proto::JournalRecord record;
  record.mutable_run_began()->set_started_unix_s(unix_s);
  return record;
}

// A pass that ended at that time, and took a second.
proto::JournalRecord pass(double run_s, std::uint32_t number, std::uint64_t samples = 10) {
  proto::JournalRecord record;
  record.set_run_s(run_s);
  record.mutable_pass_done()->set_pass(number);
  record.mutable_pass_done()->set_samples(samples);
  record.mutable_pass_done()->set_seconds(1);
  return record;
}

proto::JournalRecord checkpoint(std::uint32_t after) {
  proto::JournalRecord record;
  record.mutable_checkpoint_committed()->set_pass(after);
  return record;
}

TEST(ChaosJudgement, ASampleLostAndOneDoubledAreTwo) {
  const Judgement judged = judge({began(0), pass(1, 1), pass(2, 2, 9), pass(3, 3, 11)}, 10, {});
  EXPECT_EQ(judged.samples_off, 2u);
  EXPECT_EQ(judged.passes, 3u);
}

TEST(ChaosJudgement, PassesFollowOnTheLastOneOrOnTheCheckpoint) {
  EXPECT_EQ(judge({began(0), pass(1, 1), checkpoint(1), pass(2, 2), pass(3, 3), pass(9, 2)}, 10, {})
                .out_of_order,
            0u);
  EXPECT_EQ(
      judge({began(0), pass(1, 1), checkpoint(1), pass(2, 2), pass(3, 4)}, 10, {}).out_of_order,
      1u);
  EXPECT_EQ(
      judge({began(0), pass(1, 1), pass(2, 2), checkpoint(2), pass(3, 2)}, 10, {}).out_of_order,
      1u);
}

TEST(ChaosJudgement, APassThatBeganBeforeTheFaultIsNoRecovery) {
  // The fault comes at 101.5, during the second pass; the third pass ends at 104.
  const Judgement judged = judge({began(100), pass(1, 1), pass(2, 2), pass(4, 3)}, 10,
                                 {{FaultKind::kKillWorker, 101.5}, {FaultKind::kFillDisk, 104}});
  EXPECT_EQ(judged.recovery_s,
            (std::map<FaultKind, std::vector<double>>{{FaultKind::kKillWorker, {2.5}}}));
  EXPECT_DOUBLE_EQ(judged.longest_s, 2);
}

TEST(ChaosJudgement, SavingTakesFromAPassesEndToItsCheckpoint) {
  proto::JournalRecord saved = checkpoint(2);
  saved.set_run_s(3.5);
  const Judgement judged = judge({began(100), pass(1, 1), pass(3, 2), saved, pass(6, 3)}, 10, {});
  EXPECT_DOUBLE_EQ(judged.saving_share, 0.1);
}

TEST(ChaosJudgement, WhatComesAfterTheLastCheckpointMayBeLost) {
  const Records once{began(0), pass(1, 1), checkpoint(1), pass(2, 2)};
  EXPECT_EQ(records_lost(once, {began(0), pass(1, 1), checkpoint(1)}), 0u);
  EXPECT_EQ(records_lost(once, {began(0), pass(1, 1)}), 1u);
  EXPECT_EQ(records_lost(once, {began(0), pass(1, 1), checkpoint(2), pass(2, 2)}), 1u);
}

TEST(ChaosFaults, WhatTheMachineDoesNotAllowIsNeverDrawn) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Faults faults(seed, {});
    bool has_coordinator = false;
    for (int i = 0; i < 200; ++i) {
      const FaultKind kind = faults.next().kind;
      EXPECT_TRUE(kind != FaultKind::kCutWorker && kind != FaultKind::kCutCoordinator &&
                  kind != FaultKind::kFillDisk);
      has_coordinator = has_coordinator || kind == FaultKind::kKillCoordinator;
    }
    EXPECT_TRUE(has_coordinator) << seed;
  }
}

TEST(ChaosFaults, ThoseThatAreApartComeLongAfterTheOneBeforeIsMended) {
  Faults faults(1, {.links = true, .disk = true}, FaultTiming::kApart);
  std::set<FaultKind> kinds;
  for (int i = 0; i < 200; ++i) {
    const Fault fault = faults.next();
    EXPECT_GE(fault.duration_s, 3);  // Long enough to be noticed.
    EXPECT_GE(fault.pause_s, fault.duration_s + 5);
    kinds.insert(fault.kind);
  }
  EXPECT_EQ(kinds.size(), kFaultKinds);
}

TEST(Chaos, EightWorkersAndTheirCoordinatorHold) {
  const Result<bool> held = run_chaos({.seconds = 120, .seed = 1, .keep = {}});
  ASSERT_TRUE(held) << held.error().message;
  EXPECT_TRUE(*held);
}

}  // namespace chaos_test
}  // namespace surety::bench
