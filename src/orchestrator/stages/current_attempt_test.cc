#include "orchestrator/stages/current_attempt.h"

#include <gmock/gmock.h>

namespace surety::orchestrator {
namespace current_attempt_test {

constexpr plan::Metric kLoss = plan::Metric::kValidationLoss;

// One more pass, of 10 s and an evaluation of 1 s.
proto::PassDone pass(CurrentAttempt& attempt, double loss) {
  PassFinished done;
  done.pass = attempt.passes() + 1;
  done.seconds = 10;
  done.workers = 3;
  attempt.on_pass(done);
  return attempt.on_evaluated({.value = loss, .se = 0.01}, 1, 5);
}

TEST(CurrentAttempt, AnAttemptContinuesFromItsCheckpoint) {
  EXPECT_EQ(CurrentAttempt(2).version(), "full");
  proto::CheckpointCommitted from;
  from.set_pass(7);
  from.set_version("pruned");
  CurrentAttempt attempt(2, from);
  EXPECT_EQ(attempt.number(), 2u);
  EXPECT_EQ(attempt.passes(), 7u);
  EXPECT_EQ(attempt.version(), "pruned");
  EXPECT_FALSE(attempt.has_unsaved());
  EXPECT_EQ(pass(attempt, 1).pass(), 8u);
}

TEST(CurrentAttempt, JournalAndPoolSeeTheSamePass) {
  CurrentAttempt attempt(2);
  attempt.on_switched("pruned");
  const proto::PassDone record = pass(attempt, 0.4);
  EXPECT_EQ(record.attempt(), 2u);
  EXPECT_EQ(record.variant(), 5u);
  EXPECT_EQ(record.version(), "pruned");
  EXPECT_EQ(record.metric(), 0.4);
  const plan::PoolPass seen = attempt.seen(kLoss, 5);
  EXPECT_EQ(seen.attempt, 1u);  // The pool counts from 0.
  EXPECT_EQ(seen.passes, 1u);
  EXPECT_EQ(seen.metric, 0.4);
  EXPECT_EQ(seen.metric_se, 0.01);
  EXPECT_EQ(seen.seconds, 11);
  EXPECT_EQ(seen.workers, 3u);
}

TEST(CurrentAttempt, APassIsUnsavedUntilItsCheckpointIsCommitted) {
  CurrentAttempt attempt(2);
  pass(attempt, 0.4);
  EXPECT_TRUE(attempt.has_unsaved());
  EXPECT_FALSE(attempt.may_postpone_save(20, 1000));  // It has trained longer than 2.5 s.
  EXPECT_EQ(attempt.begin_save(20), "attempt-2-pass-0001");
  EXPECT_TRUE(attempt.has_unsaved());
  const proto::CheckpointCommitted saved = attempt.on_saved({}, 21, 5);
  EXPECT_FALSE(attempt.has_unsaved());
  EXPECT_TRUE(attempt.may_postpone_save(69, 1000));
  EXPECT_FALSE(attempt.may_postpone_save(70, 1000));
  EXPECT_EQ(saved.attempt(), 2u);
  EXPECT_EQ(saved.pass(), 1u);
  EXPECT_EQ(saved.version(), "full");
  EXPECT_EQ(saved.variant(), 5u);
}

TEST(CheckpointPace, AModelIsSavedBeforeTheTimeOrTheMoneyIsUsedUp) {
  CheckpointPace pace;
  pace.on_trained(1);
  EXPECT_TRUE(pace.may_wait(5, 2));
  EXPECT_FALSE(pace.may_wait(5, 1.9));  // The next pass may take two seconds.
  EXPECT_EQ(seconds_to_end(60, std::nullopt, 4), 60);
  EXPECT_EQ(seconds_to_end(60, 6.0, 4), 1.5);
  EXPECT_EQ(seconds_to_end(60, 1000.0, 4), 60);
  EXPECT_EQ(seconds_to_end(60, -1.0, 4), 0);
  EXPECT_EQ(seconds_to_end(60, 6.0, 0), 60);
}

TEST(CurrentAttempt, TwoWorsePassesOfOneVersionLookLikeATooHighRate) {
  for (const bool switches : {false, true}) {
    CurrentAttempt attempt(1);
    bool looks = false;
    for (const double loss : {1.0, 2.0, 3.0}) {
      EXPECT_FALSE(looks);
      if (switches && loss == 3.0) attempt.on_switched("pruned");
      pass(attempt, loss);
      looks = attempt.rate_looks_too_high(kLoss);
    }
    EXPECT_EQ(looks, !switches);
  }
}

}  // namespace current_attempt_test
}  // namespace surety::orchestrator
