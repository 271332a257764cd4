#include "learn/linear/glm_visits.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "learn/linear/glm_table_test.h"
#include "learn/order.h"

namespace surety::learn {
namespace glm_visits_test {

constexpr std::uint64_t kSeed = 5;
constexpr std::uint32_t kPass = 3;

// Chunks 0 and 1 of 40 and 50 samples with one feature. The value of a sample is its index, and of
// chunk 1 also 1000; labels are -1 and 1.
std::map<ChunkId, data::Chunk> draw_chunks() {
  std::map<ChunkId, data::Chunk> chunks;
  for (const std::uint32_t id : {0u, 1u}) {
    data::Samples samples;
    for (std::uint32_t i = 0; i < 40 + 10 * id; ++i) {
      samples.f32.push_back(static_cast<float>(1000 * id + i));
      samples.label.push_back(i % 2 == 0 ? -1.0f : 1.0f);
    }
    chunks.emplace(ChunkId{id}, chunk_of(id, std::move(samples)));
  }
  return chunks;
}

constexpr data::Schema kSchema{.layout = data::Layout::kDenseF32, .features = 1, .classes = 2};

std::string error_of(const std::map<ChunkId, data::Chunk>& chunks, const data::Schema& schema) {
  GlmVisits visits(Loss::kHinge, schema, kSeed);
  GlmIteration iteration;
  SerialTeam team(1);
  const std::vector<WorkItem> items{{ChunkId{0}, 0, 1}, {ChunkId{1}, 0, 1}};
  const auto rows = visits.list(items, chunks, kPass, iteration, team);
  return rows ? "" : rows.error().message;
}

TEST(GlmVisits, AnItemsRowsAreThoseOfItsPositionsInTheOrderOfThePass) {
  const auto chunks = draw_chunks();
  GlmVisits visits(Loss::kHinge, kSchema, kSeed);
  GlmIteration iteration;
  for (const std::size_t threads : {1u, 3u}) {
    SerialTeam team(threads);
    const std::vector<WorkItem> items{{ChunkId{1}, 20, 30}, {ChunkId{0}, 0, 40}};
    const auto rows = visits.list(items, chunks, kPass, iteration, team);
    ASSERT_TRUE(rows);
    ASSERT_EQ(rows->size(), 70u);
    for (std::uint32_t i = 0; i < 70; ++i) {
      const ChunkId chunk{i < 30 ? 1u : 0u};
      const auto order = bucket_order({kSeed, kPass, chunk}, 40 + 10 * chunk.value);
      const std::uint32_t sample = i < 30 ? order[20 + i] : order[i - 30];
      EXPECT_EQ((*rows)[i].x.value[0], static_cast<float>(1000 * chunk.value + sample));
      EXPECT_EQ((*rows)[i].label, sample % 2 == 0 ? -1 : 1);
      const GlmVisits::Place place = visits.place_of((*rows)[i]);
      EXPECT_EQ(place.chunk, chunk);
      EXPECT_EQ(place.sample, sample);
    }
  }
}

TEST(GlmVisits, ADualVariableIsThatOfTheIterationAndGoesBackThere) {
  auto chunks = draw_chunks();
  chunks[ChunkId{1}].state.assign(50, 0.25f);
  GlmVisits visits(Loss::kHinge, kSchema, kSeed);
  GlmIteration iteration;
  SerialTeam team(1);
  const std::vector<WorkItem> items{{ChunkId{1}, 0, 50}};
  iteration.alpha_of(chunks[ChunkId{1}])[7] = 0.5f;
  const auto rows = visits.list(items, chunks, kPass, iteration, team);
  ASSERT_TRUE(rows);
  for (const DualRow& row : *rows) {
    const std::size_t sample = visits.place_of(row).sample;
    EXPECT_EQ(row.alpha, sample == 7 ? 0.5f : 0.25f);
    EXPECT_EQ(row.home, &iteration.alpha_of(chunks[ChunkId{1}])[sample]);
  }
}

TEST(GlmVisits, BytesBecomeNumbersUpToOne) {
  data::Samples samples;
  samples.u8 = {0, 51, 255, 102};
  samples.label = {1, 0};
  std::map<ChunkId, data::Chunk> chunks;
  chunks.emplace(ChunkId{0}, chunk_of(0, samples));
  GlmVisits visits(Loss::kHinge,
                   {.layout = data::Layout::kDenseU8, .width = 2, .features = 2, .classes = 2},
                   kSeed);
  GlmIteration iteration;
  SerialTeam team(1);
  const std::vector<WorkItem> items{{ChunkId{0}, 0, 2}};
  const auto rows = visits.list(items, chunks, kPass, iteration, team);
  ASSERT_TRUE(rows);
  for (const DualRow& row : *rows) {
    const bool first = visits.place_of(row).sample == 0;
    EXPECT_FLOAT_EQ(row.x.value[0], first ? 0 : 1);
    EXPECT_FLOAT_EQ(row.x.value[1], first ? 0.2f : 0.4f);
    EXPECT_EQ(row.label, first ? 1 : -1);
  }
}

TEST(GlmVisits, AnErrorNamesTheChunkAndTheSample) {
  auto chunks = draw_chunks();
  EXPECT_EQ(error_of(chunks, kSchema), "");
  chunks[ChunkId{1}].samples.label[4] = 7;
  EXPECT_EQ(error_of(chunks, kSchema),
            "chunk 1: sample 4: label 7, expected -1 and +1, or 0 and 1");
  chunks[ChunkId{0}].state.assign(3, 0.0f);
  EXPECT_EQ(error_of(chunks, kSchema), "chunk 0: 3 dual variables, expected 40 or none");
}

TEST(GlmVisits, ASparseFeatureBeyondTheSchemaIsAnError) {
  std::map<ChunkId, data::Chunk> chunks;
  for (const std::uint32_t id : {0u, 1u}) {
    data::Samples samples;
    samples.f32 = {1, 1};
    samples.index = {0, 2 + id};
    samples.row_begin = {0, 1, 2};
    samples.label = {1, 1};
    chunks.emplace(ChunkId{id}, chunk_of(id, samples));
  }
  data::Schema schema{.layout = data::Layout::kSparse, .width = 3, .features = 3, .classes = 2};
  EXPECT_EQ(error_of(chunks, schema), "chunk 1: sample 1: feature 3, expected less than 3");
  schema.features = schema.width = 4;
  EXPECT_EQ(error_of(chunks, schema), "");
}

}  // namespace glm_visits_test
}  // namespace surety::learn
