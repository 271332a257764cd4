#include "sim/world/storage.h"

#include <gtest/gtest.h>

#include "sim/learning/law_task.h"

namespace surety::sim {
namespace storage_test {

proto::JournalRecord pass(std::uint32_t number) {
  proto::JournalRecord record;
  record.mutable_pass_done()->set_pass(number);
  return record;
}

proto::JournalRecord joined(std::uint32_t worker) {
  proto::JournalRecord record;
  record.mutable_worker_joined()->set_worker(worker);
  return record;
}

TEST(SimJournal, WhatMustBeDurableIsThereAfterACrashAndTheRestIsTorn) {
  JournalDisk disk;
  ASSERT_TRUE(disk.append(joined(1)));
  EXPECT_TRUE(disk.sync());
  ASSERT_TRUE(disk.append(pass(1)));
  EXPECT_FALSE(disk.sync());  // A pass need not be durable.
  ASSERT_TRUE(disk.append(pass(2)));
  disk.crash(0.75);  // The first record is whole, the second one is torn.
  EXPECT_EQ(JournalDisk(disk).open().value().size(), 2u);
  EXPECT_EQ(disk.open().value().size(), 2u);
  disk.crash(0);
  EXPECT_EQ(JournalDisk(disk).open().value().size(), 2u);
}

TEST(SimJournal, AFullDiskTakesNothing) {
  JournalDisk disk;
  disk.set_full(true);
  EXPECT_FALSE(disk.append(joined(1)));
  disk.set_full(false);
  ASSERT_TRUE(disk.append(joined(1)));
  EXPECT_EQ(JournalDisk(disk).open().value().size(), 1u);
}

TEST(SimCheckpoints, DamageIsSeenByTheReaderUnlessItIsQuiet) {
  Checkpoints disk;
  learn::Model model;
  model.parameters = {1, 2};
  ASSERT_TRUE(disk.write("a/model", model));
  ASSERT_TRUE(disk.write("b/model", model));
  disk.corrupt("a/model", false);
  disk.corrupt("b/model", true);
  EXPECT_EQ(disk.model("a/model").error().code, ErrorCode::kCorrupt);
  EXPECT_EQ(disk.model("b/model").value().parameters, (std::vector<float>{2, 2}));
  EXPECT_EQ(disk.model("c/model").error().code, ErrorCode::kUnavailable);
  disk.remove_folder("b");
  EXPECT_EQ(disk.paths(), std::vector<std::string>{"a/model"});
}

TEST(LossLaw, FallsFromItsStartToItsFloorAndPrunedVersionsEndHigher) {
  const LossLaw law{.start = 2, .floor = 0.1, .scale_passes = 1, .power = 1};
  EXPECT_DOUBLE_EQ(expected_loss(law, "full", 0), 2);
  EXPECT_DOUBLE_EQ(expected_loss(law, "full", 1), 0.1 + 1.9 / 2);
  EXPECT_GT(expected_loss(law, "prune:0.5", 1e9), 1.5 * expected_loss(law, "full", 1e9));
}

// Two workers with 20 of 40 samples each, averaged, make a pass.
TEST(LossLaw, HalvesOfTwoWorkersAreAPass) {
  const auto task = make_law_task({}, {.model = "mlp", .schema = {}, .samples = 40});
  std::map<ChunkId, data::Chunk> chunks;
  chunks[ChunkId{0}].range.count = 40;
  double passes = 0;
  for (const std::uint32_t count : {20u, 20u}) {
    learn::LocalWork work{.tasks_of_all = 2, .items = {{ChunkId{0}, 0, count}}};
    std::vector<float> update(2);
    ASSERT_TRUE(task->compute(work, task->initial_model(), chunks, update, {false}));
    passes += 0.5 * update[0];
  }
  EXPECT_DOUBLE_EQ(passes, 1);
}

}  // namespace storage_test
}  // namespace surety::sim
