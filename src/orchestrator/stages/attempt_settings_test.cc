#include "orchestrator/stages/attempt_settings.h"

#include <gmock/gmock.h>

namespace surety::orchestrator {
namespace attempt_settings_test {

// Two variants, of versions with the rates 0.5 and 0.2.
AttemptSettings settings_of(std::uint32_t families) {
  job::TrainSpec train;
  train.seed = 40;
  train.learning_rate = 0.5;
  PoolSetup setup;
  setup.spec.families = families;
  setup.spec.variants.resize(2);
  setup.spec.variants[1].version = 1;
  setup.versions = {{"full", 0.5}, {"pruned", 0.2}};
  return AttemptSettings(train, setup);
}

TEST(AttemptSettings, EachAttemptHasASeedOfItsOwn) {
  const AttemptSettings settings = settings_of(1);
  EXPECT_EQ(settings.seed(1), 40u);
  EXPECT_EQ(settings.seed(2), 1000043u);
}

TEST(AttemptSettings, EachFailureMakesTheNextAttemptTenTimesSlower) {
  AttemptSettings settings = settings_of(1);
  EXPECT_EQ(settings.fresh_rate(1), 0.2);
  settings.on_failed();
  EXPECT_DOUBLE_EQ(settings.fresh_rate(1), 0.02);
  settings.set_failures(2);
  EXPECT_DOUBLE_EQ(settings.fresh_rate(0), 0.005);
}

TEST(AttemptSettings, WithSeveralFamiliesRatesDoNotDependOnFailures) {
  AttemptSettings settings = settings_of(2);
  settings.on_failed();
  EXPECT_EQ(settings.fresh_rate(1), 0.2);
  EXPECT_EQ(settings.advice(0.5), "smaller learning rates are tried");
}

TEST(AttemptSettings, AnAttemptKeepsTheRateThatItBeganWith) {
  AttemptSettings settings = settings_of(1);
  RunState state;
  state.attempts.begun.push_back(settings.began(1, 0, "it is the first"));
  settings.on_failed();
  EXPECT_EQ(settings.rate(1, 0, state), 0.5);
  EXPECT_DOUBLE_EQ(settings.rate(2, 0, state), 0.05);
}

TEST(AttemptSettings, TheJournalHasWhatAnAttemptBeginsWith) {
  const proto::AttemptBegan began = settings_of(1).began(2, 1, "it is faster");
  EXPECT_EQ(began.attempt(), 2u);
  EXPECT_EQ(began.seed(), 1000043u);
  EXPECT_EQ(began.learning_rate(), 0.2);
  EXPECT_EQ(began.variant(), 1u);
  EXPECT_EQ(began.reason(), "it is faster");
}

TEST(AttemptSettings, AfterFourFailuresNoAttemptMayFail) {
  AttemptSettings settings = settings_of(1);
  settings.set_failures(3);
  EXPECT_TRUE(settings.may_fail_again());
  EXPECT_EQ(settings.advice(0.3),
            "A smaller train.learning_rate than 0.3 may help, or auto, which tries several: new "
            "attempts use 0.0005");
  settings.on_failed();
  EXPECT_FALSE(settings.may_fail_again());
  EXPECT_EQ(settings.failures(), 4u);
}

}  // namespace attempt_settings_test
}  // namespace surety::orchestrator
