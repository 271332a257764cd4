// What users see if files of a run are damaged: the messages, and how the run continues.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/posix/file.h"
#include "cli/commands/commands.h"
#include "cli/commands/runs_test.h"
#include "cli/exit_codes.h"

namespace surety::cli {
namespace damage_posix_test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

namespace fs = std::filesystem;

// A run of `passes_max` passes that was killed after a few of them.
class Damage : public ::testing::Test {
 protected:
  void train_and_kill() {
    runs_.in_time(400, [&](int passes_max) {
      passes_max_ = passes_max;
      posix::Process run = runs_.start(runs_.training(passes_max), "log");
      return runs_.comes(run, "passes after a checkpoint", is_under_way) && runs_.kill(run);
    });
  }
  // The run has two checkpoints and passes after them. So there are passes that can be lost, and a
  // checkpoint to return to.
  static bool is_under_way(const Records& records) {
    const auto saved = std::ranges::count_if(
        records, [](const auto& record) { return record.has_checkpoint_committed(); });
    return saved >= 2 && passes(records) >= 5;
  }
  Finished status() { return runs_.surety({"status", runs_.path("run")}); }
  Finished resumed() { return runs_.surety({"train", "--resume", "--out", runs_.path("run")}); }
  std::string journal() const { return runs_.path("run") + "/journal.log"; }

  void flip(const fs::path& file, std::uintmax_t at) {
    std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekg(static_cast<std::streamoff>(at));
    const char byte = static_cast<char>(bytes.get() ^ 1);
    bytes.seekp(static_cast<std::streamoff>(at));
    bytes.put(byte);
  }

  Runs runs_;
  int passes_max_ = 0;
};

TEST_F(Damage, ACutJournalIsToldByStatusAndResumeWithWhatIsWholeAndTheRunGoesOn) {
  train_and_kill();
  const std::size_t records = runs_.journal("run").size();
  // Append the head of a record and one byte of its payload, as a crash may leave them.
  const std::string begun = posix::read_file(journal()).value().substr(8, 13);
  std::ofstream(journal(), std::ios::app | std::ios::binary) << begun;
  const std::string torn = fmt::format(
      "the journal ends within a record: after {} complete records there are 13 bytes of an "
      "incomplete one",
      records);
  EXPECT_THAT(status().output, HasSubstr("  journal   " + torn));
  EXPECT_THAT(runs_.surety({"status", "--json", runs_.path("run")}).output, HasSubstr(torn));
  const Finished verified = runs_.surety({"verify", runs_.path("run")});
  EXPECT_EQ(verified.code, kUsage);
  EXPECT_THAT(verified.output, HasSubstr("this run has not ended, or the end of its journal is "
                                         "lost: " +
                                         torn));
  const Finished run = resumed();
  EXPECT_THAT(
      run.output,
      AllOf(HasSubstr(torn),
            HasSubstr(
                "these bytes are removed. The run continues from its checkpoints, the newest")));
  EXPECT_TRUE(has_ended(runs_.journal("run"))) << run.output;
  EXPECT_THAT(status().output, Not(HasSubstr("  journal ")));
}

// Offset of the payload of the fourth record from the end. The plan is among the first records, so
// it stays intact.
std::uintmax_t late_payload(const fs::path& journal, const Records& records) {
  constexpr std::uintmax_t kMagic = 8;
  constexpr std::uintmax_t kHead = 12;
  std::uintmax_t at = kMagic;
  for (std::size_t i = 0; i + 4 < records.size(); ++i) at += kHead + records[i].ByteSizeLong();
  EXPECT_LT(at + kHead, fs::file_size(journal));
  return at + kHead;
}

TEST_F(Damage, AJournalThatIsDamagedInItsMiddleIsRefusedWithWhatMayBeDoneWhichWorks) {
  train_and_kill();
  flip(journal(), late_payload(journal(), runs_.journal("run")));
  const Finished run = resumed();
  EXPECT_EQ(run.code, kFailed) << run.output;
  EXPECT_THAT(run.output, AllOf(HasSubstr("journal.log: record "), HasSubstr("is damaged"),
                                HasSubstr("truncate -s "), HasSubstr("--resume continues from")));
  const std::size_t at = run.output.find("truncate -s ") + 12;
  fs::resize_file(journal(), std::stoul(run.output.substr(at)));
  const Finished again = resumed();
  EXPECT_TRUE(has_ended(runs_.journal("run"))) << again.output;
}

// Only the first record is left, so nothing is known about any training.
TEST_F(Damage, AJournalThatEndsBeforeItsPlanIsToldToBeOfARunThatHasToBeginAgain) {
  train_and_kill();
  const Records records = runs_.journal("run");
  fs::resize_file(journal(), 8 + 12 + records.front().ByteSizeLong());  // Magic, head, record.
  const Finished run = resumed();
  EXPECT_EQ(run.code, kUsage) << run.output;
  EXPECT_THAT(run.output, AllOf(HasSubstr("the journal ends before the plan that the run follows"),
                                HasSubstr("Begin it again with another --out")));
  EXPECT_THAT(status().output, AllOf(HasSubstr("it was ended before its training began"),
                                     Not(HasSubstr("--resume"))));
}

// A run may be killed before the first record of its journal is complete.
TEST_F(Damage, ARunThatWasEndedBeforeItBeganIsToldAndTheSameCommandBeginsItAgain) {
  const std::string began = "Begin it again with the same command, or with another --out";
  const auto expect_told = [&](const std::string& text) {
    for (const Finished& told :
         {status(), resumed(), runs_.surety({"verify", runs_.path("run")})}) {
      EXPECT_EQ(told.code, kUsage) << told.output;
      EXPECT_THAT(told.output, HasSubstr(text));
    }
  };
  fs::create_directories(runs_.path("run"));
  expect_told("begin it again with the same command");
  for (const char* begun : {"", "SURE", "SURETYJ1", "SURETYJ1 half"}) {
    std::ofstream(journal(), std::ios::binary) << begun;
    expect_told("the run was ended before it began, and nothing is lost. " + began);
  }
  const Finished again = runs_.surety(runs_.training(3));
  EXPECT_EQ(again.code, kMissed) << again.output;
  EXPECT_TRUE(has_ended(runs_.journal("run")));
}

TEST_F(Damage, ADamagedCheckpointIsNamedWithTheOneThatIsGoneBackTo) {
  train_and_kill();
  // The run may have been writing another checkpoint when it was killed. This unfinished checkpoint
  // is never used.
  fs::path newest;
  for (const auto& record : runs_.journal("run")) {
    if (record.has_checkpoint_committed()) newest = record.checkpoint_committed().folder();
  }
  for (const auto& file : fs::directory_iterator(newest)) {
    flip(file.path(), file.file_size() / 2);
  }
  const Finished run = resumed();
  EXPECT_THAT(run.output, AllOf(HasSubstr("checkpoint " + newest.string() + " is abandoned: "),
                                ::testing::ContainsRegex("the run returns to pass [0-9]+|"
                                                         "training starts again")));
  EXPECT_TRUE(has_ended(runs_.journal("run"))) << run.output;
}

TEST_F(Damage, BytesAfterTheEndOfAnEndedRunFailItsVerification) {
  ASSERT_EQ(runs_.surety(runs_.training(3)).code, kMissed);
  std::ofstream(journal(), std::ios::app) << "more";
  const Finished verified = runs_.surety({"verify", runs_.path("run")});
  EXPECT_EQ(verified.code, kFailed);
  EXPECT_THAT(verified.output, HasSubstr("FAIL  nothing follows the journal's last record"));
}

}  // namespace damage_posix_test
}  // namespace surety::cli
