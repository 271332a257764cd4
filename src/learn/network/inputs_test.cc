#include "learn/network/inputs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "learn/order.h"

namespace surety::learn {
namespace inputs_test {

// `count` samples of one feature, which is equal to the label: first, first + 1, ...
data::Chunk counting_chunk(std::uint32_t id, std::uint32_t first, std::uint32_t count) {
  data::Chunk chunk;
  chunk.range = {.id = ChunkId{id}, .count = count};
  for (std::uint32_t i = first; i < first + count; ++i) {
    chunk.samples.f32.push_back(static_cast<float>(i));
    chunk.samples.label.push_back(static_cast<float>(i));
  }
  return chunk;
}

data::Schema counting_schema() {
  return {.layout = data::Layout::kDenseF32, .features = 1, .classes = 1000};
}

// The labels of all batches.
std::vector<std::vector<std::int64_t>> read_all(const BatchReader::Options& options,
                                                const LocalWork& work,
                                                const std::map<ChunkId, data::Chunk>& chunks) {
  BatchReader reader(options, work, chunks);
  std::vector<std::vector<std::int64_t>> batches;
  Batch batch;
  while (true) {
    EXPECT_TRUE(reader.next(batch));
    if (batch.size() == 0) return batches;
    batches.push_back(batch.labels);
  }
}

TEST(Inputs, BytesBecomeMinusOneToOne) {
  data::Samples samples;
  samples.u8 = {7, 7, 7, 0, 255, 51};
  samples.label = {0, 2};
  Batch batch;
  const data::Schema schema{.layout = data::Layout::kDenseU8, .features = 3, .classes = 3};
  ASSERT_TRUE(append_sample(samples, schema, 1, batch));
  EXPECT_NEAR(batch.inputs[0], -1, 1e-6);
  EXPECT_NEAR(batch.inputs[1], 1, 1e-6);
  EXPECT_NEAR(batch.inputs[2], -0.6, 1e-6);  // (51 / 255 - 0.5) / 0.5
  EXPECT_EQ(batch.labels, (std::vector<std::int64_t>{2}));
}

TEST(Inputs, SparseSamplesAreWrittenOutWithTheirZeros) {
  data::Samples samples;
  samples.label = {1, 0};
  samples.row_begin = {0, 1, 3};
  samples.index = {0, 1, 8};
  samples.f32 = {9, 5, 6};
  Batch batch;
  const data::Schema schema{.layout = data::Layout::kSparse, .features = 3, .classes = 2};
  ASSERT_TRUE(append_sample(samples, schema, 1, batch));
  EXPECT_EQ(batch.inputs, (std::vector<float>{0, 5, 0}));  // Feature 8 is unknown to the network.
}

TEST(Inputs, ALabelThatIsNoClassIsRefused) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const float label : {-1.0f, 10.0f, 2.5f, nan, 1e30f}) {
    data::Samples samples;
    samples.f32 = {0, 0};
    samples.label = {3, label};
    Batch batch;
    data::Schema schema = counting_schema();
    schema.classes = 10;
    EXPECT_TRUE(append_sample(samples, schema, 0, batch));
    const auto refused = append_sample(samples, schema, 1, batch);
    ASSERT_FALSE(refused) << label;
    EXPECT_EQ(refused.error().code, ErrorCode::kInvalidInput);
    EXPECT_EQ(batch.size(), 1u);
  }
}

TEST(BatchReader, BatchesRunAcrossItemsAndTheLastIsSmaller) {
  std::map<ChunkId, data::Chunk> chunks;
  chunks.emplace(ChunkId{0}, counting_chunk(0, 0, 5));
  chunks.emplace(ChunkId{1}, counting_chunk(1, 100, 6));
  LocalWork work;
  work.items = {{ChunkId{1}, 2, 4}, {ChunkId{0}, 0, 0}, {ChunkId{0}, 0, 5}};
  const BatchReader::Options options{.schema = counting_schema(), .seed = 1, .batch = 4};
  const auto batches = read_all(options, work, chunks);
  ASSERT_EQ(batches.size(), 3u);
  EXPECT_EQ(batches[0].size(), 4u);
  EXPECT_EQ(batches[1].size(), 4u);
  EXPECT_EQ(batches[2].size(), 1u);
  // Positions 2..5 of chunk 1, in its own order.
  const auto order = sample_order({.seed = 1, .pass = 0, .chunk = ChunkId{1}}, 6);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(batches[0][i], 100 + order[2 + i]);
}

TEST(BatchReader, ItemsThatCoverAChunkVisitEverySampleOnce) {
  std::map<ChunkId, data::Chunk> chunks;
  chunks.emplace(ChunkId{4}, counting_chunk(4, 0, 10));
  LocalWork work;
  work.items = {{ChunkId{4}, 7, 3}, {ChunkId{4}, 0, 7}};
  const BatchReader::Options options{.schema = counting_schema(), .seed = 1, .batch = 64};
  auto batches = read_all(options, work, chunks);
  ASSERT_EQ(batches.size(), 1u);
  std::sort(batches[0].begin(), batches[0].end());
  for (std::int64_t i = 0; i < 10; ++i) EXPECT_EQ(batches[0][static_cast<std::size_t>(i)], i);
}

TEST(BatchReader, AnotherPassIsAnotherOrder) {
  std::map<ChunkId, data::Chunk> chunks;
  chunks.emplace(ChunkId{0}, counting_chunk(0, 0, 50));
  LocalWork first;
  first.items = {{ChunkId{0}, 0, 50}};
  LocalWork second = first;
  second.pass = 1;
  const BatchReader::Options options{.schema = counting_schema(), .seed = 1, .batch = 50};
  EXPECT_EQ(read_all(options, first, chunks), read_all(options, first, chunks));
  EXPECT_NE(read_all(options, first, chunks), read_all(options, second, chunks));
}

TEST(BatchReader, ABadLabelIsNamedByChunkAndSample) {
  std::map<ChunkId, data::Chunk> chunks;
  chunks.emplace(ChunkId{7}, counting_chunk(7, 0, 3));
  chunks.at(ChunkId{7}).samples.label[1] = -4;
  LocalWork work;
  work.items = {{ChunkId{7}, 0, 3}};
  BatchReader reader({.schema = counting_schema(), .seed = 1, .batch = 3}, work, chunks);
  Batch batch;
  const auto read = reader.next(batch);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message, "chunk 7: sample 1: label -4, expected a class from 0 to 999");
}

}  // namespace inputs_test
}  // namespace surety::learn
