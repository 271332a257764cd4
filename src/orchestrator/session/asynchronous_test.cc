#include "orchestrator/session/asynchronous.h"

#include <gtest/gtest.h>

#include "fabric/scheduler/quorum.h"
#include "proto/surety.pb.h"

namespace surety::orchestrator {
namespace asynchronous_test {

job::ModeSpec in(job::TrainMode mode) {
  job::ModeSpec spec;
  spec.mode = mode;
  return spec;
}

TEST(Asynchronous, ALoneWorkerAndModeSyncNeedNoExchange) {
  EXPECT_FALSE(is_asynchronous(in(job::TrainMode::kAsync), 1));
  EXPECT_FALSE(is_asynchronous(in(job::TrainMode::kSync), 8));
  EXPECT_TRUE(is_asynchronous(in(job::TrainMode::kAsync), 2));
}

TEST(Asynchronous, AThirdOfTheWorkersMakeABatchUnlessWritten) {
  EXPECT_EQ(asynchronous_of(in(job::TrainMode::kBatch), 9, 4).batch(), 3u);
  EXPECT_EQ(asynchronous_of(in(job::TrainMode::kBatch), 2, 4).batch(), 2u);
  job::ModeSpec mode = in(job::TrainMode::kBatch);
  mode.quorum = 5;
  EXPECT_EQ(asynchronous_of(mode, 9, 4).batch(), 5u);
  // The quorum is at most the number of workers.
  EXPECT_EQ(asynchronous_of(mode, 3, 4).batch(), 3u);
}

TEST(Asynchronous, UpdatesAreAveragedOverTheWorkersUnlessWritten) {
  EXPECT_FLOAT_EQ(asynchronous_of(in(job::TrainMode::kAsync), 4, 4).weight(), 0.25f);
  job::ModeSpec mode = in(job::TrainMode::kBatch);
  EXPECT_FLOAT_EQ(asynchronous_of(mode, 8, 4).weight(), 0.125f);
  mode.update_weight = 0.9;
  EXPECT_FLOAT_EQ(asynchronous_of(mode, 4, 4).weight(), 0.9f);
}

TEST(Asynchronous, UpdatesOfAPassAreAddedAndAsManyAsWanted) {
  job::ModeSpec mode = in(job::TrainMode::kAsync);
  mode.updates = 8;
  EXPECT_EQ(asynchronous_pass_of(mode, 4, 3200).steps(), 100u);
  EXPECT_EQ(asynchronous_pass_of(mode, 4, 3201).steps(), 101u);
  EXPECT_EQ(asynchronous_pass_of(mode, 4, 5).steps(), 1u);
  EXPECT_EQ(asynchronous_pass_of(mode, 4, 3200).weight(), 1);
}

TEST(Asynchronous, OnlyTheNumberOfTheModeIsSent) {
  const auto async = asynchronous_of(in(job::TrainMode::kAsync), 4, 4);
  EXPECT_FALSE(async.has_batch() || async.has_ahead());
  const auto batch = asynchronous_of(in(job::TrainMode::kBatch), 4, 4);
  EXPECT_TRUE(batch.has_batch() && !batch.has_ahead());
  const auto bounded = asynchronous_of(in(job::TrainMode::kBoundedStaleness), 4, 4);
  EXPECT_TRUE(!bounded.has_batch() && bounded.has_ahead());
}

}  // namespace asynchronous_test
}  // namespace surety::orchestrator
