#include "runtime/coordinator/measuring_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "base/posix/temporary_folder.h"
#include "base/posix/wait_testing.h"

namespace surety::runtime {
namespace measuring_process_posix_test {

using ::testing::HasSubstr;

class MeasuringProcessTest : public ::testing::Test {
 protected:
  // The result of a program that is this shell script.
  Result<certificate::MetricValues> result_of(const std::string& script) {
    const auto program = folder_.path() / "program";
    std::ofstream(program) << "#!/bin/sh\n" << script << "\n";
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    SURETY_TRY(MeasuringProcess process,
               MeasuringProcess::start(program, folder_.path(), output()));
    const auto result = process.wait(posix::kTestPatience);
    EXPECT_TRUE(result);
    return *result;
  }
  std::filesystem::path output() const { return folder_.path() / "output"; }

  posix::TemporaryFolder folder_;
};

TEST_F(MeasuringProcessTest, TheLastLineHasTheValues) {
  std::ofstream(output()) << "the output of an earlier process\n";
  const auto values = result_of(
      "echo 'a warning of a library'; echo another >&2\n"
      "echo '" +
      to_json(certificate::MetricValues{0.25, 0.01, 500}) + "'");
  ASSERT_TRUE(values) << values.error().message;
  EXPECT_EQ(values->metric, 0.25);
  EXPECT_EQ(values->metric_se, 0.01);
  EXPECT_EQ(values->samples, 500u);
}

// The loss of a model that has diverged is a result: it contradicts workers that report another.
TEST_F(MeasuringProcessTest, WhatIsNotANumberIsAResult) {
  const auto values = result_of(
      "echo '" + to_json(certificate::MetricValues{std::nan(""), std::nan(""), 500}) + "'");
  ASSERT_TRUE(values) << values.error().message;
  EXPECT_TRUE(std::isnan(values->metric));
}

TEST_F(MeasuringProcessTest, AProcessWithoutAResultSaysWhy) {
  const auto reason = [&](const std::string& script) {
    const auto values = result_of(script);
    EXPECT_FALSE(values) << script;
    return values ? "" : values.error().message;
  };
  EXPECT_EQ(reason("echo '" + to_json(Error{ErrorCode::kCorrupt, "a \"torn\" file"}) + "'; exit 4"),
            "a \"torn\" file");
  EXPECT_THAT(reason("kill -9 $$"), HasSubstr("signal 9"));
  EXPECT_THAT(reason("exit 3"), HasSubstr("exit code 3; see "));
  EXPECT_THAT(reason("echo '{\"value\": 1, \"se\": 0, \"samples\": -1}'"),
              HasSubstr("exit code 0"));
  EXPECT_THAT(reason("echo '{\"value\": 1, \"se\": 0, \"samples\": 5}'; exit 1"),
              HasSubstr("exit code 1"));
  EXPECT_THAT(reason("echo '[1, 2'"), HasSubstr("exit code 0"));
  for (const char* impossible :
       {"\"value\": -1, \"se\": 0, \"samples\": 5", "\"value\": 1, \"se\": -1, \"samples\": 5",
        "\"value\": 1, \"se\": 0, \"samples\": 0"}) {
    EXPECT_THAT(reason(fmt::format("echo '{{{}}}'", impossible)), HasSubstr("exit code 0"));
  }
  EXPECT_THAT(reason("head -c 2000000 /dev/zero"), HasSubstr("expected at most"));
}

// Only a lost checkpoint ends the result of the run.
TEST_F(MeasuringProcessTest, AnErrorKeepsWhetherTheCheckpointIsLost) {
  const auto code_of = [&](ErrorCode code) {
    return result_of("echo '" + to_json(Error{code, "why"}) + "'; exit 4").error().code;
  };
  EXPECT_EQ(code_of(ErrorCode::kCorrupt), ErrorCode::kCorrupt);
  EXPECT_EQ(code_of(ErrorCode::kInvalidInput), ErrorCode::kUnavailable);
  EXPECT_EQ(code_of(ErrorCode::kUnavailable), ErrorCode::kUnavailable);
}

TEST_F(MeasuringProcessTest, AGapComesWithItsObjective) {
  const auto values =
      result_of("echo '" + to_json(certificate::MetricValues{1e-6, 0, 500, 0.25}) + "'");
  ASSERT_TRUE(values);
  EXPECT_EQ(values->objective, 0.25);
}

TEST_F(MeasuringProcessTest, AProgramThatIsMissingIsAnError) {
  EXPECT_FALSE(MeasuringProcess::start(folder_.path() / "none", folder_.path(), output()));
}

}  // namespace measuring_process_posix_test
}  // namespace surety::runtime
