#include "orchestrator/training/training_chunks.h"

#include <gtest/gtest.h>

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
  EXPECT_EQ(training_chunks(train, sources(), 2).size(), 100u);
  EXPECT_EQ(training_chunks(train, sources(), 8).size(), 160u);
}

TEST(TrainingChunks, EachMicroTaskIsOneHoweverManyWorkersThereAre) {
  job::TrainSpec train;
  train.chunk_bytes = 10 << 10;
  train.micro_tasks = 16;
  for (const std::uint32_t workers : {1u, 16u}) {
    const std::vector<data::ChunkRange> chunks = training_chunks(train, sources(), workers);
    ASSERT_EQ(chunks.size(), 16u);
    for (const data::ChunkRange& chunk : chunks) EXPECT_NEAR(chunk.count, 62.5, 0.5);
  }
}

}  // namespace training_chunks_test
}  // namespace surety::orchestrator
