#include "sim/world/checked_journal.h"

#include <gtest/gtest.h>

namespace surety::sim {
namespace checked_journal_test {

struct World {
  Watch watch{orchestrator::JobConfig{}};
  CheckedJournal journal{watch};
};

proto::JournalRecord pass(std::uint32_t number) {
  proto::JournalRecord record;
  record.mutable_phase_began()->set_phase(std::to_string(number));
  return record;
}

proto::JournalRecord joined(std::uint32_t worker) {
  proto::JournalRecord record;
  record.mutable_worker_joined()->set_worker(worker);
  return record;
}

TEST(CheckedJournal, ACoordinatorIsComparedWithTheRecordsThatItHasWritten) {
  World world;
  ASSERT_TRUE(world.journal.append(joined(1)));
  world.journal.compare({});
  EXPECT_EQ(world.watch.violation(),
            "journal: the coordinator has 0 workers present, but the journal has 1");
}

TEST(CheckedJournal, ItIsComparedOnceForTheRecordsOfAnEvent) {
  World world;
  orchestrator::RunState knows_worker;
  knows_worker.workers.last_id = 1;
  world.journal.compare(knows_worker);
  EXPECT_EQ(world.watch.violation(), std::nullopt);
  ASSERT_TRUE(world.journal.append(pass(1)));
  world.journal.compare({});
  world.journal.compare(knows_worker);
  EXPECT_EQ(world.watch.violation(), std::nullopt);
}

TEST(CheckedJournal, TheCheckersDoNotHearOfARecordThatAFullDiskRefuses) {
  World world;
  world.journal.set_full(true);
  EXPECT_EQ(world.journal.append(joined(1)).error().code, ErrorCode::kUnavailable);
  world.journal.set_full(false);
  ASSERT_TRUE(world.journal.append(pass(1)));
  world.journal.compare({});
  EXPECT_EQ(world.watch.violation(), std::nullopt);
}

// The checker of the journal reports a durable record that is missing after a crash.
TEST(CheckedJournal, OnlyRecordsThatMustBeDurableAreRequiredAfterACrash) {
  World world;
  ASSERT_TRUE(world.journal.append(joined(1)));
  world.journal.sync();
  ASSERT_TRUE(world.journal.append(pass(1)));
  world.journal.sync();
  world.journal.crash(0);
  EXPECT_EQ(world.journal.open().size(), 1u);
  EXPECT_EQ(world.watch.violation(), std::nullopt);
}

TEST(CheckedJournal, WhatACoordinatorFindsIsWhatTheCheckersKnowOfIt) {
  World world;
  ASSERT_TRUE(world.journal.append(joined(1)));
  world.journal.crash(0);
  EXPECT_TRUE(world.journal.open().empty());
  world.journal.compare({});  // The worker is not in the journal any more.
  EXPECT_EQ(world.watch.violation(), std::nullopt);
}

}  // namespace checked_journal_test
}  // namespace surety::sim
