#include "runtime/job/job_setup.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/posix/temporary_folder.h"

namespace surety::runtime {
namespace job_setup_test {

// The working folder, with a job file in another one.
class JobFile {
 public:
  JobFile() {
    std::ofstream(path()) << "promise: {target: 0.5, deadline: 20min}\n"
                             "data: {sets: [\"csv://a.csv?label=y\"]}\n"
                             "model: {zoo: logistic}\n";
  }
  [[nodiscard]] std::filesystem::path path() const { return folder_.path() / "job.yaml"; }
  // The source with this data.root on the command line.
  [[nodiscard]] std::string source_below(const std::string& root) const {
    const auto job = read_job(path(), {"data.root=" + root});
    return job ? job->data.front().source : job.error().message;
  }

 private:
  posix::TemporaryFolder folder_;
};

TEST(ReadJob, ADataRootOnTheCommandLineStartsFromTheWorkingFolder) {
  const JobFile job;
  const std::string here = std::filesystem::current_path().string();
  EXPECT_EQ(job.source_below("data"), "csv://" + here + "/data/a.csv?label=y");
  EXPECT_EQ(job.source_below("$PWD/data"), job.source_below("data"));
  EXPECT_EQ(job.source_below("$PWD"), "csv://" + here + "/a.csv?label=y");
  EXPECT_EQ(job.source_below("/data"), "csv:///data/a.csv?label=y");
}

TEST(ReadJob, TheTimeUntilADeadlineCountsFromTheGivenMoment) {
  const JobFile job;
  const auto read = read_job(job.path(), {"promise.deadline=1970-01-02T00:00:00Z"}, 86'000);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->promise.deadline_s, 400);
}

}  // namespace job_setup_test
}  // namespace surety::runtime
