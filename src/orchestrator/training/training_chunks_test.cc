#include "orchestrator/training/training_chunks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace surety::orchestrator {
namespace training_chunks_test {

// 1,000 samples of 1 KiB.
std::vector<data::SourceInfo> sources() {
  data::SourceInfo source;
  source.samples = 1000;
  source.bytes = 1000 << 10;
  return {source};
}

TEST(TrainingChunks, AreAsLargeAsTheJobSaysAndTwentyForEachWorker) {
  job::TrainSpec train;
  train.chunk_bytes = 10 << 10;
  EXPECT_EQ(cut_training_chunks(train, sources(), 2).size(), 100u);
  EXPECT_EQ(cut_training_chunks(train, sources(), 8).size(), 160u);
}

TEST(TrainingChunks, EachMicroTaskIsOneHoweverManyWorkersThereAre) {
  job::TrainSpec train;
  train.chunk_bytes = 10 << 10;
  train.micro_tasks = 16;
  for (const std::uint32_t workers : {1u, 16u}) {
    const std::vector<data::ChunkRange> chunks = cut_training_chunks(train, sources(), workers);
    ASSERT_EQ(chunks.size(), 16u);
    for (const data::ChunkRange& chunk : chunks) EXPECT_NEAR(chunk.count, 62.5, 0.5);
  }
}

TEST(HeldOut, AreOneInFiveWhichTheSeedChooses) {
  job::TrainSpec train;
  train.chunk_bytes = 10 << 10;
  const std::vector<data::ChunkRange> all = cut_training_chunks(train, sources(), 2);
  const DividedChunks divided = hold_out(all, 1);
  EXPECT_EQ(divided.training.size(), 80u);
  EXPECT_EQ(divided.validation.size(), 20u);
  std::set<ChunkId> ids;
  for (const auto* part : {&divided.training, &divided.validation}) {
    EXPECT_TRUE(std::ranges::is_sorted(*part, {}, &data::ChunkRange::id));
    for (const data::ChunkRange& chunk : *part) ids.insert(chunk.id);
  }
  EXPECT_EQ(ids.size(), 100u);
  EXPECT_NE(hold_out(all, 2).validation.front().id, divided.validation.front().id);
  EXPECT_EQ(hold_out({all.front()}, 1).validation.size(), 1u);
}

TEST(ValidationChunks, HaveTheNumberOfTheirSource) {
  job::TrainSpec train;
  train.chunk_bytes = 100 << 10;
  const std::vector<data::ChunkRange> chunks = validation_chunks(train, sources().front(), 3, 2);
  EXPECT_EQ(chunks.size(), 10u);
  for (const data::ChunkRange& chunk : chunks) EXPECT_EQ(chunk.source, 3u);
}

}  // namespace training_chunks_test
}  // namespace surety::orchestrator
