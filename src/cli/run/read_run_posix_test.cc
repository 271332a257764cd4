#include "cli/run/read_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/posix/temporary_folder.h"
#include "orchestrator/history/journal.h"
#include "orchestrator/history/run_folder.h"

namespace surety::cli {
namespace read_run_test {

using testing::HasSubstr;

TEST(ReadRun, ARecordThatDoesNotFitIsNamedWithItsJournal) {
  proto::JournalRecord began;
  began.mutable_run_began()->set_job_file("job.yaml");
  began.mutable_run_began()->set_mode("run");
  began.mutable_run_began()->set_job_text(
      "promise: {target: 0.5, deadline: 20min}\n"
      "data: \"digits://?samples=8000\"\n"
      "model: {zoo: lenet5}\n");
  const posix::TemporaryFolder folder;
  std::ofstream journal(folder.path() / orchestrator::run_folder::kJournal, std::ios::binary);
  journal << orchestrator::kJournalMagic;
  for (const proto::JournalRecord& record : {began, proto::JournalRecord()}) {
    const std::vector<std::byte> bytes = orchestrator::encode_record(record);
    journal.write(reinterpret_cast<const char*>(bytes.data()),
                  static_cast<std::streamsize>(bytes.size()));
  }
  journal.close();
  const Result<ReadRun> read = read_run(folder.path());
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kCorrupt);
  EXPECT_THAT(read.error().message, HasSubstr("journal.log: record 2: "));
  EXPECT_THAT(read.error().message, HasSubstr("without a fact"));
}

}  // namespace read_run_test
}  // namespace surety::cli
