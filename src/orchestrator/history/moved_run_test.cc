#include "orchestrator/history/moved_run.h"

#include <gtest/gtest.h>

#include <vector>

namespace surety::orchestrator {
namespace {

TEST(MovedRun, ACheckpointLiesInTheRunsFolderOfToday) {
  EXPECT_EQ(relocated_checkpoint("/old/run/checkpoints/000007", "/new/checkpoints"),
            "/new/checkpoints/000007");
  EXPECT_EQ(relocated_checkpoint("/old/run/checkpoints/coordinator-2/000007", "/new/checkpoints"),
            "/new/checkpoints/coordinator-2/000007");
}

TEST(MovedRun, OnlyTheLastFolderOfThatNameIsTheRunsOwn) {
  EXPECT_EQ(relocated_checkpoint("/checkpoints/of/run/checkpoints/000007", "/new/checkpoints"),
            "/new/checkpoints/000007");
}

TEST(MovedRun, APathWithoutSuchAFolderStaysAsItIs) {
  EXPECT_EQ(relocated_checkpoint("", "/new/checkpoints"), "");
  EXPECT_EQ(relocated_checkpoint("/old/run/000007", "/new/checkpoints"), "/old/run/000007");
}

TEST(MovedRun, CheckpointsFromWhichTheRunMayGoOnAreFollowed) {
  const std::string old = "/old/checkpoints/1";
  const std::string here = "/new/checkpoints/1";
  proto::JournalRecord record;
  record.mutable_checkpoint_committed()->set_folder(old);
  record.mutable_checkpoint_committed()->add_files()->set_path(old + "/state");
  locate_checkpoints(record, "/new/checkpoints");
  EXPECT_EQ(record.checkpoint_committed().folder(), here);
  EXPECT_EQ(record.checkpoint_committed().files(0).path(), here + "/state");
  record.mutable_run_stopped()->set_checkpoint(old);
  locate_checkpoints(record, "/new/checkpoints");
  EXPECT_EQ(record.run_stopped().checkpoint(), here);
}

TEST(MovedRun, WhatWasCertifiedOrDroppedKeepsItsRecordedPath) {
  const std::string old = "/old/checkpoints/1";
  proto::JournalRecord record;
  record.mutable_certified()->set_checkpoint(old);
  locate_checkpoints(record, "/new/checkpoints");
  EXPECT_EQ(record.certified().checkpoint(), old);
  record.mutable_checkpoint_dropped()->set_folder(old);
  locate_checkpoints(record, "/new/checkpoints");
  EXPECT_EQ(record.checkpoint_dropped().folder(), old);
  EXPECT_TRUE(is_same_checkpoint(old, "/new/checkpoints/1"));
  EXPECT_FALSE(is_same_checkpoint(old, "/old/checkpoints/2"));
}

TEST(MovedRun, ACheckpointIsFoundUnderItsOldPath) {
  std::vector<proto::JournalRecord> records(3);
  records[0].mutable_checkpoint_committed()->set_folder("/old/checkpoints/1");
  records[1].mutable_checkpoint_committed()->set_folder("/new/checkpoints/1");
  records[2].mutable_run_stopped()->set_checkpoint("/new/checkpoints/1");
  EXPECT_EQ(committed_at(records, "/old/checkpoints/1"), &records[1].checkpoint_committed());
  EXPECT_EQ(committed_at(records, "/new/checkpoints/2"), nullptr);
}

}  // namespace
}  // namespace surety::orchestrator
