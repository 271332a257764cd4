// The second measurement of the final model by a new process, with real processes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/posix/file.h"
#include "cli/commands/runs_test.h"
#include "cli/exit_codes.h"

namespace surety::cli {
namespace measured_again_posix_test {

using ::testing::HasSubstr;
using ::testing::Not;

class MeasuredAgain : public ::testing::Test {
 protected:
  MeasuredAgain() : job_(runs_.glm_job()) {
    // Validation data without any relation between features and labels: no model is good on them.
    const std::string rows = runs_.output("rows.svm");
    std::ofstream noise(runs_.path("validation.svm"));
    std::istringstream lines(rows);
    std::uint64_t number = 0;
    for (std::string line; std::getline(lines, line) && number < 1000; ++number) {
      noise << (number % 2 == 0 ? "+1" : "-1") << line.substr(2) << "\n";
    }
  }

  // The training of a few passes with a target that only a good model reaches.
  std::vector<std::string> arguments(const std::vector<std::string>& sets) const {
    std::vector<std::string> out{"train",
                                 job_,
                                 "--out",
                                 runs_.path("run"),
                                 "--set",
                                 "promise.metric=accuracy",
                                 "--set",
                                 "promise.target=0.8",
                                 "--set",
                                 "train.passes_max=4"};
    for (const std::string& set : sets) out.insert(out.end(), {"--set", set});
    return out;
  }

  std::string certificate() const { return runs_.output("run/certificate.json"); }

  Runs runs_;
  const std::string job_;
};

TEST_F(MeasuredAgain, ANewProcessMeasuresTheFinalModelAgainBeforeTheRunEnds) {
  const Finished run = runs_.surety(arguments({}));
  EXPECT_EQ(run.code, kKept) << run.output;
  EXPECT_THAT(run.output, HasSubstr("a new process measured the final model again: 0.9"));
  EXPECT_THAT(certificate(), HasSubstr("\"measured_again\""));
  EXPECT_THAT(certificate(), Not(HasSubstr("contradicted")));
  const Finished verified = runs_.surety({"verify", runs_.path("run")});
  EXPECT_EQ(verified.code, 0) << verified.output;
}

TEST_F(MeasuredAgain, AJobMayDoWithoutIt) {
  const Finished run = runs_.surety(arguments({"trust.measure_again=off"}));
  EXPECT_EQ(run.code, kKept) << run.output;
  EXPECT_THAT(run.output, Not(HasSubstr("measured the final model again")));
  EXPECT_THAT(certificate(), Not(HasSubstr("measured_again")));
  EXPECT_EQ(runs_.surety({"verify", runs_.path("run")}).code, 0);
}

// The worker reads other validation data than the coordinator, and so reports an accuracy that the
// model does not have.
TEST_F(MeasuredAgain, AWorkerWhoseResultIsWrongDoesNotDecideTheVerdict) {
  std::filesystem::create_directory(runs_.path("other"));
  std::filesystem::copy(runs_.path("rows.svm"), runs_.path("other/rows.svm"));
  std::string easy;
  std::istringstream lines(runs_.output("rows.svm"));
  std::uint64_t number = 0;
  for (std::string line; std::getline(lines, line) && number < 1000; ++number) easy += line + "\n";
  std::ofstream(runs_.path("other/validation.svm")) << easy;

  posix::Process run = runs_.start(arguments({"validation=libsvm://validation.svm",
                                              "cluster={local: 0, listen: \"127.0.0.1:0\"}"}),
                                   "run.log");
  const std::string line = runs_.address("run.log");
  posix::Process worker = runs_.start({"worker", "--join", line.substr(0, line.find(' ')),
                                       "--token-file", runs_.path("run") + "/token", "--data-root",
                                       runs_.path("other")},
                                      "worker.log");
  const auto status = run.wait(posix::kTestPatience);
  ASSERT_TRUE(status) << runs_.output("run.log");
  const std::string output = runs_.output("run.log");
  EXPECT_EQ(status->code, kMissed) << output;
  EXPECT_THAT(output, HasSubstr("The value of the new process counts"));
  EXPECT_THAT(output, HasSubstr("the workers had reported"));
  EXPECT_THAT(certificate(), HasSubstr("\"contradicted\""));
  const Finished verified = runs_.surety({"verify", runs_.path("run")});
  EXPECT_EQ(verified.code, 0) << verified.output;
  static_cast<void>(worker.wait(posix::kTestPatience));
}

}  // namespace measured_again_posix_test
}  // namespace surety::cli
