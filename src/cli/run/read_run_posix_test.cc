#include "cli/run/read_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <vector>

#include "base/posix/temporary_folder.h"
#include "orchestrator/history/journal.h"
#include "orchestrator/history/run_folder.h"

namespace surety::cli {
namespace read_run_test {

using testing::HasSubstr;

// Reads a journal of a beginning, changed by `change`, and of the records after it.
Result<ReadRun> read_after(const std::function<void(proto::RunBegan&)>& change,
                           const std::vector<proto::JournalRecord>& next = {}) {
  proto::JournalRecord began;
  began.mutable_run_began()->set_job_file("job.yaml");
  began.mutable_run_began()->set_mode("run");
  began.mutable_run_began()->set_job_text(
      "promise: {target: 0.5, deadline: 20min}\n"
      "data: \"digits://?samples=8000\"\n"
      "model: {zoo: lenet5}\n");
  began.mutable_run_began()->add_sources()->set_name("data-1");
  began.mutable_run_began()->set_chunks_for_workers(1);
  change(*began.mutable_run_began());
  const posix::TemporaryFolder folder;
  std::ofstream journal(folder.path() / orchestrator::run_folder::kJournal, std::ios::binary);
  journal << orchestrator::kJournalMagic;
  std::vector<proto::JournalRecord> records{began};
  records.insert(records.end(), next.begin(), next.end());
  for (const proto::JournalRecord& record : records) {
    const std::vector<std::byte> bytes = orchestrator::encode_record(record);
    journal.write(reinterpret_cast<const char*>(bytes.data()),
                  static_cast<std::streamsize>(bytes.size()));
  }
  journal.close();
  return read_run(folder.path());
}

TEST(ReadRun, ARecordThatDoesNotFitIsNamedWithItsJournal) {
  const Result<ReadRun> read = read_after([](proto::RunBegan&) {}, {proto::JournalRecord()});
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kCorrupt);
  EXPECT_THAT(read.error().message, HasSubstr("journal.log: record 2: "));
  EXPECT_THAT(read.error().message, HasSubstr("without a fact"));
}

TEST(ReadRun, AJournalNamesTheDataOfItsJob) {
  const auto none = read_after([](proto::RunBegan& began) { began.clear_sources(); });
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::kCorrupt);
  EXPECT_THAT(none.error().message,
              HasSubstr("journal.log: found 0 data sets, expected 1 as in the job"));
  EXPECT_TRUE(read_after([](proto::RunBegan&) {}));
  const auto uncut = read_after([](proto::RunBegan& began) { began.clear_chunks_for_workers(); });
  ASSERT_FALSE(uncut);
  EXPECT_EQ(uncut.error().code, ErrorCode::kCorrupt);
  EXPECT_THAT(uncut.error().message,
              HasSubstr("chunks_for_workers: found 0, expected at least 1 worker"));
}

}  // namespace read_run_test
}  // namespace surety::cli
