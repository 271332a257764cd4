#include "sim/process/sim_files.h"

#include <gtest/gtest.h>

#include "proto/surety.pb.h"

namespace surety::sim {
namespace sim_files_test {

struct World {
  Learner learner;
  Checkpoints checkpoints;
  Watch watch{orchestrator::JobConfig{}};
  SimFiles files{learner, checkpoints, watch};
  World() {
    learner.load = [](const data::ChunkRange& range) -> Result<data::Chunk> {
      data::Chunk chunk;
      chunk.range = range;
      return chunk;
    };
  }
};

TEST(SimFiles, OneChunkIsDamagedAndTheNextOneIsNot) {
  World world;
  world.files.damage_next_chunk();
  const std::vector<data::ChunkRange> ranges{{.id = ChunkId{3}}, {.id = ChunkId{4}}};
  EXPECT_EQ(world.files.read_chunks(ranges).error().message, "chunk 3: the source is damaged");
  EXPECT_EQ(world.files.read_chunks(ranges).value().size(), 2u);
}

TEST(SimFiles, StatesAreThoseOfTheWantedChunksThatHadOne) {
  World world;
  std::map<ChunkId, data::Chunk> chunks;
  chunks[ChunkId{1}].state = {1};
  chunks[ChunkId{2}].state = {2};
  chunks[ChunkId{3}].state = {};
  ASSERT_TRUE(world.files.save_states("states", chunks));
  const auto states = world.files.load_states("states", 0, {ChunkId{2}, ChunkId{3}}).value();
  EXPECT_EQ(states, (data::ChunkStates{{ChunkId{2}, {2}}}));
}

TEST(SimFiles, TheCheckersAreToldOfAWrittenModel) {
  World world;
  learn::Model model;
  model.parameters = {1};
  const proto::SavedFile file = world.files.save_model("model", model).value();
  proto::JournalRecord committed;
  // This is the checksum of another model.
  committed.mutable_checkpoint_committed()->set_model_checksum(5);
  *committed.mutable_checkpoint_committed()->add_files() = file;
  world.watch.on_append(committed);
  EXPECT_EQ(world.watch.violation(),
            "commits: model is committed, but another model was written into it");
}

}  // namespace sim_files_test
}  // namespace surety::sim
