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

TEST(TrainingChunks, AreAsLargeAsTheJobSaysAndAtLeastTwentyForEachWorker) {
  job::TrainSpec train;
  train.chunk_bytes = 10 << 10;
  EXPECT_EQ(cut_training_chunks(train, sources(), 5).size(), 100u);
  EXPECT_EQ(cut_training_chunks(train, sources(), 6).size(), 200u);
  train.chunk_bytes = 1 << 20;
  EXPECT_EQ(cut_training_chunks(train, sources(), 1).size(), 80u);
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

std::set<std::uint64_t> samples_of(const std::vector<data::ChunkRange>& chunks) {
  std::set<std::uint64_t> samples;
  for (const data::ChunkRange& chunk : chunks) {
    for (std::uint64_t i = 0; i < chunk.count; ++i) samples.insert(chunk.first + i);
  }
  return samples;
}

TEST(HeldOut, AreOneInFiveWhichTheSeedChooses) {
  job::TrainSpec train;
  train.chunk_bytes = 10 << 10;
  const DividedChunks divided = hold_out(train, sources(), 2);
  EXPECT_EQ(divided.training.size(), 80u);
  EXPECT_EQ(divided.validation.size(), 20u);
  std::set<ChunkId> ids;
  for (const auto* part : {&divided.training, &divided.validation}) {
    EXPECT_TRUE(std::ranges::is_sorted(*part, {}, &data::ChunkRange::id));
    for (const data::ChunkRange& chunk : *part) ids.insert(chunk.id);
  }
  EXPECT_EQ(ids.size(), 100u);
  ++train.seed;
  EXPECT_NE(samples_of(hold_out(train, sources(), 2).validation), samples_of(divided.validation));
}

TEST(HeldOut, AreTheSameSamplesForAnyNumberOfWorkers) {
  std::vector<data::SourceInfo> two = {sources().front(), sources().front()};
  two.back().samples = 333;
  for (const auto& data : {sources(), two}) {
    const DividedChunks one = hold_out({}, data, 1);
    for (const std::uint32_t workers : {2u, 5u, 7u, 64u}) {
      const DividedChunks several = hold_out({}, data, workers);
      EXPECT_EQ(samples_of(several.validation), samples_of(one.validation)) << workers;
      EXPECT_EQ(samples_of(several.training), samples_of(one.training)) << workers;
    }
  }
}

TEST(HeldOut, IsOneSampleOfVeryFew) {
  data::SourceInfo few;
  few.samples = 2;
  few.bytes = 2;
  const DividedChunks divided = hold_out({}, {few}, 4);
  EXPECT_EQ(divided.training.size(), 1u);
  EXPECT_EQ(divided.validation.size(), 1u);
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
