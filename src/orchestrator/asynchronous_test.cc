#include "orchestrator/asynchronous.h"

#include <gtest/gtest.h>

#include "proto/surety.pb.h"

namespace surety::orchestrator {
namespace asynchronous_test {

using fabric::TrainMode;

ModeSpec in(TrainMode mode) {
  ModeSpec spec;
  spec.mode = mode;
  return spec;
}

TEST(Asynchronous, ALoneWorkerAndModeSyncNeedNoExchange) {
  EXPECT_FALSE(is_asynchronous(in(TrainMode::kAsync), 1));
  EXPECT_FALSE(is_asynchronous(in(TrainMode::kSync), 8));
  EXPECT_TRUE(is_asynchronous(in(TrainMode::kAsync), 2));
}

TEST(Asynchronous, AThirdOfTheWorkersMakeABatchUnlessWritten) {
  EXPECT_EQ(asynchronous_of(in(TrainMode::kBatch), 9, 4).quorum(), 3u);
  EXPECT_EQ(asynchronous_of(in(TrainMode::kBatch), 2, 4).quorum(), 2u);
  ModeSpec mode = in(TrainMode::kBatch);
  mode.quorum = 5;
  EXPECT_EQ(asynchronous_of(mode, 9, 4).quorum(), 5u);
  // The quorum is at most the number of workers.
  EXPECT_EQ(asynchronous_of(mode, 3, 4).quorum(), 3u);
}

TEST(Asynchronous, UpdatesAreAveragedOverTheWorkersUnlessWritten) {
  EXPECT_FLOAT_EQ(asynchronous_of(in(TrainMode::kAsync), 4, 4).weight(), 0.25f);
  ModeSpec mode = in(TrainMode::kBatch);
  EXPECT_FLOAT_EQ(asynchronous_of(mode, 8, 4).weight(), 0.125f);
  mode.update_weight = 0.9;
  EXPECT_FLOAT_EQ(asynchronous_of(mode, 4, 4).weight(), 0.9f);
}

TEST(Asynchronous, UpdatesOfAPassAreAddedAndAsManyAsWanted) {
  ModeSpec mode = in(TrainMode::kAsync);
  mode.updates = 8;
  EXPECT_EQ(asynchronous_pass_of(mode, 4, 3200).steps(), 100u);
  EXPECT_EQ(asynchronous_pass_of(mode, 4, 3201).steps(), 101u);
  EXPECT_EQ(asynchronous_pass_of(mode, 4, 5).steps(), 1u);
  EXPECT_EQ(asynchronous_pass_of(mode, 4, 3200).weight(), 1);
}

}  // namespace asynchronous_test
}  // namespace surety::orchestrator
