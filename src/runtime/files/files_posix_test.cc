// Journal and checkpoints on a real file system.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/posix/file.h"
#include "base/posix/temporary_folder.h"
#include "learn/model_checksum.h"
#include "runtime/files/coordinator_file.h"
#include "runtime/files/journal_file.h"
#include "runtime/files/model_files.h"

namespace surety::runtime {
namespace files_posix_test {

using ::testing::HasSubstr;

proto::JournalRecord phase(const std::string& name) {
  proto::JournalRecord record;
  record.mutable_phase_began()->set_phase(name);
  return record;
}

Result<std::vector<proto::JournalRecord>> records_of(const std::filesystem::path& path) {
  SURETY_TRY(orchestrator::JournalContents contents, read_journal_contents(path));
  return std::move(contents.records);
}

TEST(JournalFile, ATornTailIsCutAndWritingGoesOnBehindIt) {
  const posix::TemporaryFolder folder;
  const auto path = folder.path() / "journal.log";
  {
    auto journal = JournalFile::create(path);
    ASSERT_TRUE(journal);
    ASSERT_TRUE(journal->append(phase("gather")));
    ASSERT_TRUE(journal->append(phase("profile")));
  }
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 3);
  std::vector<proto::JournalRecord> records;
  auto journal = JournalFile::open(path, records);
  ASSERT_TRUE(journal);
  ASSERT_EQ(records.size(), 1u);
  ASSERT_TRUE(journal->append(phase("plan")));
  const auto read = records_of(path);
  ASSERT_TRUE(read);
  ASSERT_EQ(read->size(), 2u);
  EXPECT_EQ(read->back().phase_began().phase(), "plan");
}

TEST(JournalFile, ANewRunDoesNotOverwriteAnOldOne) {
  const posix::TemporaryFolder folder;
  ASSERT_TRUE(JournalFile::create(folder.path() / "journal.log")->append(phase("gather")));
  const auto second = JournalFile::create(folder.path() / "journal.log");
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message, HasSubstr("--resume"));
}

TEST(JournalFile, ANewRunTakesThePlaceOfOneThatWasEndedBeforeItsFirstRecord) {
  const posix::TemporaryFolder folder;
  const auto path = folder.path() / "journal.log";
  for (const std::string begun : {"", "SURE", "SURETYJ1", "SURETYJ1 half"}) {
    ASSERT_TRUE(posix::write_file_atomically(path, begun));
    auto journal = JournalFile::create(path);
    ASSERT_TRUE(journal) << journal.error().message;
    ASSERT_TRUE(journal->append(phase("gather")));
    EXPECT_EQ(records_of(path)->size(), 1u);
  }
  ASSERT_TRUE(posix::write_file_atomically(path, "a file of somebody else"));
  EXPECT_FALSE(JournalFile::create(path));
  EXPECT_EQ(posix::read_file(path).value(), "a file of somebody else");
  // A coordinator that has not written its first record yet keeps the place.
  std::filesystem::remove(path);
  const auto first = JournalFile::create(path);
  ASSERT_TRUE(first);
  EXPECT_FALSE(JournalFile::create(path));
}

TEST(JournalFile, APlaceThatCannotBeExaminedIsAnErrorThatNamesTheFile) {
  const posix::TemporaryFolder folder;
  // A name that is longer than any file system allows.
  const auto path = folder.path() / std::string(1000, 'j');
  const auto journal = JournalFile::create(path);
  ASSERT_FALSE(journal);
  EXPECT_THAT(journal.error().message, HasSubstr(path.string()));
}

TEST(JournalFile, ASecondCoordinatorIsRefusedAndCutsNothing) {
  const posix::TemporaryFolder folder;
  const auto path = folder.path() / "journal.log";
  auto first = JournalFile::create(path);
  ASSERT_TRUE(first->append(phase("gather")));
  // Simulates a half-written record.
  std::filesystem::resize_file(path, std::filesystem::file_size(path) + 1);
  std::vector<proto::JournalRecord> records;
  const auto second = JournalFile::open(path, records);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kInvalidInput);
  EXPECT_THAT(second.error().message, HasSubstr("coordinator of this run is still running"));
  const auto bytes = std::filesystem::file_size(path);
  // The assignment closes the first journal.
  first = JournalFile::create(folder.path() / "other.log");
  ASSERT_TRUE(JournalFile::open(path, records));
  EXPECT_EQ(std::filesystem::file_size(path), bytes - 1);
}

const auto kLeads = [] { return true; };

// An elected coordinator does not check whether the previous coordinator has stopped writing.
TEST(JournalFile, OneThatIsTakenOverIsWrittenInVain) {
  const posix::TemporaryFolder folder;
  const auto path = folder.path() / "journal.log";
  auto first = JournalFile::create(path);
  ASSERT_TRUE(first->append(phase("gather")));
  EXPECT_FALSE(first->is_taken_over());
  std::vector<proto::JournalRecord> records;
  auto second = JournalFile::take_over(path, kLeads, records);
  ASSERT_TRUE(second) << second.error().message;
  ASSERT_EQ(records.size(), 1u);
  EXPECT_TRUE(first->is_taken_over());
  proto::JournalRecord durable;
  durable.mutable_run_ended();
  ASSERT_TRUE(first->append(durable));
  const Result<void> synced = first->sync();
  ASSERT_FALSE(synced);
  EXPECT_THAT(synced.error().message, HasSubstr("taken the run over"));
  ASSERT_TRUE(second->append(phase("train")));
  ASSERT_TRUE(second->sync());
  const auto read = records_of(path);
  ASSERT_TRUE(read);
  ASSERT_EQ(read->size(), 2u);
  EXPECT_EQ(read->back().phase_began().phase(), "train");
  ASSERT_TRUE(second->publish());
  EXPECT_EQ(posix::read_file(path).value(),
            posix::read_file(folder.path() / "journal-2.log").value());
  // The two journals, and the claim.
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 3);
}

TEST(JournalFile, AThirdTakesOverFromTheSecondAndATornTailIsCut) {
  const posix::TemporaryFolder folder;
  const auto path = folder.path() / "journal.log";
  auto first = JournalFile::create(path);
  ASSERT_TRUE(first->append(phase("gather")));
  std::vector<proto::JournalRecord> records;
  auto second = JournalFile::take_over(path, kLeads, records);
  ASSERT_TRUE(second->append(phase("profile")));
  const auto torn = folder.path() / "journal-2.log";
  std::filesystem::resize_file(torn, std::filesystem::file_size(torn) - 3);
  auto third = JournalFile::take_over(path, kLeads, records);
  ASSERT_TRUE(third);
  EXPECT_EQ(records.size(), 1u);
  EXPECT_TRUE(second->is_taken_over());
  EXPECT_FALSE(third->is_taken_over());
  ASSERT_TRUE(third->append(phase("plan")));
  EXPECT_EQ(records_of(path)->back().phase_began().phase(), "plan");
}

// The late coordinator was stopped for an unknown time between its check of the leader and its
// claim.
TEST(JournalFile, ANumberIsClaimedOnceAndWhoIsTooLateLooksAgainWhetherItLeads) {
  const posix::TemporaryFolder folder;
  const auto path = folder.path() / "journal.log";
  auto first = JournalFile::create(path);
  std::vector<proto::JournalRecord> records;
  int calls = 0;
  const auto leads = [&] {
    if (++calls > 1) return false;
    std::vector<proto::JournalRecord> unused;
    EXPECT_TRUE(JournalFile::take_over(path, kLeads, unused));
    return true;
  };
  const auto late = JournalFile::take_over(path, leads, records);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(late.error().message, HasSubstr("another coordinator may lead the run"));
  EXPECT_EQ(calls, 2);
}

TEST(JournalFile, WhatWasDurableBeforeTheClaimIsTakenOver) {
  const posix::TemporaryFolder folder;
  const auto path = folder.path() / "journal.log";
  auto first = JournalFile::create(path);
  std::vector<proto::JournalRecord> records;
  const auto leads = [&] {
    proto::JournalRecord durable;
    durable.mutable_run_ended();
    EXPECT_TRUE(first->append(durable));
    EXPECT_TRUE(first->sync());
    return true;
  };
  ASSERT_TRUE(JournalFile::take_over(path, leads, records));
  EXPECT_EQ(records.size(), 1u);
}

TEST(JournalFile, AClaimWithoutAJournalIsSkipped) {
  const posix::TemporaryFolder folder;
  const auto path = folder.path() / "journal.log";
  auto first = JournalFile::create(path);
  ASSERT_TRUE(first->append(phase("gather")));
  // The coordinator was killed just after its claim.
  std::ofstream(folder.path() / "journal-2.claim");
  EXPECT_TRUE(first->is_taken_over());
  EXPECT_EQ(records_of(path)->size(), 1u);
  std::vector<proto::JournalRecord> records;
  auto third = JournalFile::take_over(path, kLeads, records);
  ASSERT_TRUE(third);
  EXPECT_EQ(records.size(), 1u);
  ASSERT_TRUE(third->append(phase("train")));
  EXPECT_EQ(records_of(path)->size(), 2u);
}

TEST(JournalFile, WhoLeadsNoMoreTakesNothingOver) {
  const posix::TemporaryFolder folder;
  const auto path = folder.path() / "journal.log";
  auto first = JournalFile::create(path);
  std::vector<proto::JournalRecord> records;
  EXPECT_FALSE(JournalFile::take_over(
      path, [] { return false; }, records));
  EXPECT_FALSE(first->is_taken_over());
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(CoordinatorFile, ComesBackAndIsForItsUserOnly) {
  const posix::TemporaryFolder folder;
  EXPECT_FALSE(read_coordinator_file(folder.path()).value());
  ASSERT_TRUE(
      write_coordinator_file(folder.path(), {.address = "h:1", .token = "a \"b\"", .term = 2}));
  const auto file = read_coordinator_file(folder.path()).value();
  ASSERT_TRUE(file);
  EXPECT_EQ(file->address, "h:1");
  EXPECT_EQ(file->token, "a \"b\"");
  EXPECT_EQ(file->term, 2u);
  const auto path = folder.path() / "coordinator.json";
  EXPECT_EQ(std::filesystem::status(path).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  remove_coordinator_file(folder.path());
  EXPECT_FALSE(read_coordinator_file(folder.path()).value());
}

TEST(CoordinatorFile, EachDamageIsTheSameErrorWithWhatToDo) {
  const posix::TemporaryFolder folder;
  const auto path = folder.path() / "coordinator.json";
  const auto expect_refused = [&](const std::string& what) {
    const auto file = read_coordinator_file(folder.path());
    ASSERT_FALSE(file) << what;
    EXPECT_EQ(file.error().code, ErrorCode::kInvalidInput) << what;
    EXPECT_THAT(file.error().message,
                testing::AllOf(testing::HasSubstr("coordinator.json"),
                               testing::HasSubstr("remove this file to resume the run")));
  };
  const std::vector<std::string> damaged{"",
                                         "{",
                                         "[]",
                                         R"({"address": "h:1", "token": "a"})",
                                         R"({"address": "h:1", "term": 1})",
                                         R"({"address": 1, "token": "a", "term": 1})",
                                         R"({"address": "h:1", "token": "", "term": 1})",
                                         R"({"address": "h:1", "token": ["a"], "term": 1})",
                                         R"({"address": "h:1", "token": "a", "term": 4294967296})",
                                         R"({"address": "h:1", "token": "a", "term": "1"})",
                                         R"({"address": "h:1", "token": "a", "term": 1.5})",
                                         std::string(70'000, ' ')};
  for (const std::string& text : damaged) {
    ASSERT_TRUE(posix::write_file_atomically(path, text));
    expect_refused(text.substr(0, 100));
  }
  std::filesystem::remove(path);
  std::filesystem::create_directory(path);
  expect_refused("a folder");
}

TEST(ModelFiles, AModelComesBackBitForBit) {
  const posix::TemporaryFolder folder;
  const learn::Model model{.version = "prune:0.5",
                           .parameters = {1.5f, -0.0f, 3e-38f},
                           .parent = {4, 5},
                           .velocity = {0.25f, -7, 1e-30f},
                           .average = {1.25f, 0, -2}};
  ASSERT_TRUE(save_model(folder.path() / "m", model));
  const auto loaded = load_model(folder.path() / "m");
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->version, "prune:0.5");
  EXPECT_EQ(loaded->average, model.average);
  EXPECT_EQ(learn::model_checksum(*loaded), learn::model_checksum(model));
}

TEST(ModelFiles, ADamagedModelIsRefused) {
  const posix::TemporaryFolder folder;
  ASSERT_TRUE(save_model(folder.path() / "m",
                         {.version = "full", .parameters = {1, 2}, .parent = {}, .velocity = {}}));
  std::filesystem::resize_file(folder.path() / "m", 20);
  EXPECT_FALSE(load_model(folder.path() / "m"));
}

TEST(ModelFiles, AModelWithoutAnAverageComesBackWithoutOne) {
  const posix::TemporaryFolder folder;
  const learn::Model model{.version = "full", .parameters = {1, 2}, .parent = {}, .velocity = {}};
  ASSERT_TRUE(save_model(folder.path() / "m", model));
  const auto loaded = load_model(folder.path() / "m");
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_TRUE(loaded->average.empty());
  EXPECT_EQ(learn::model_checksum(*loaded), learn::model_checksum(model));
}

TEST(ModelFiles, AnAverageOfAnotherSizeIsRefused) {
  const posix::TemporaryFolder folder;
  ASSERT_TRUE(save_model(
      folder.path() / "m",
      {.version = "full", .parameters = {1, 2}, .parent = {}, .velocity = {}, .average = {1}}));
  EXPECT_EQ(load_model(folder.path() / "m").error().code, ErrorCode::kCorrupt);
}

TEST(ModelFiles, ChunkStateIsFoundByChunkAndDamageIsSeen) {
  const posix::TemporaryFolder folder;
  std::map<ChunkId, data::Chunk> chunks;
  chunks[ChunkId{3}].state = {0.5f, 0.25f};
  chunks[ChunkId{4}] = {};
  const auto saved = save_chunk_state(folder.path() / "s", chunks);
  ASSERT_TRUE(saved);
  ASSERT_EQ(saved->chunks_size(), 1);
  const auto load = [&] {
    return load_chunk_states(folder.path() / "s", saved->checksum(), {ChunkId{3}, ChunkId{4}});
  };
  EXPECT_EQ(load().value(), (data::ChunkStates{{ChunkId{3}, {0.5f, 0.25f}}}));
  std::string damaged = posix::read_file(folder.path() / "s").value();
  damaged.back() ^= 1;
  ASSERT_TRUE(posix::write_file_atomically(folder.path() / "s", damaged));
  EXPECT_EQ(load().error().code, ErrorCode::kCorrupt);
}

}  // namespace files_posix_test
}  // namespace surety::runtime
