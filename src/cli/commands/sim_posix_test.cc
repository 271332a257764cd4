// `surety sim` on jobs of a user.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "cli/commands/runs_test.h"
#include "cli/exit_codes.h"

namespace surety::cli {
namespace sim_posix_test {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(SimCommand, ASimulatedProfileIsCompleteAndNoStoppedRun) {
  Runs runs;
  const Finished profile = runs.surety({"sim", runs.glm_job(), "--mode", "profile", "--quiet"});
  EXPECT_EQ(profile.code, kKept) << profile.output;
  EXPECT_THAT(profile.output, HasSubstr("profile: "));
  EXPECT_THAT(profile.output, Not(HasSubstr("stopped")));
}

TEST(SimCommand, TheHeadlineSaysThatTheResultIsSimulated) {
  Runs runs;
  const Finished made = runs.surety(
      {"sim", runs.glm_job(), "--mode", "train", "--quiet", "--set", "promise.target=0.1"});
  EXPECT_THAT(made.output, HasSubstr("\nSimulated: "));
  EXPECT_THAT(made.output, Not(HasSubstr("Promise kept")));
}

TEST(SimCommand, ASpeedIsANumberAboveZero) {
  Runs runs;
  const std::string job = runs.glm_job();
  for (const char* speed : {"nan", "0", "-1", "inf", "8x"}) {
    const Finished refused = runs.surety({"sim", job, "--quiet", "--samples-per-s", speed});
    EXPECT_EQ(refused.code, kUsage) << speed << refused.output;
    EXPECT_THAT(refused.output, HasSubstr("expected a number above 0")) << speed;
  }
}

TEST(SimCommand, DataThatARunRefusesAreRefused) {
  Runs runs;
  const std::string job = runs.glm_job();
  std::ofstream(runs.path("rows.svm")) << "+1 1:0.5\n-1 2:x\n";
  const Finished refused = runs.surety({"sim", job, "--quiet"});
  EXPECT_EQ(refused.code, kUsage) << refused.output;
  EXPECT_THAT(refused.output, HasSubstr("rows.svm"));
}

TEST(SimCommand, WithoutTheFilesOfAJobOfKnownSizeItLearnsFromMadeUpRows) {
  Runs runs;
  const std::string job = runs.glm_job();
  const Finished made_up =
      runs.surety({"sim", job, "--quiet", "--set", "data=\"libsvm://none/a9a\"", "--set",
                   "validation=\"libsvm://none/a9a.t\"", "--set", "promise.target=0.1"});
  EXPECT_THAT(made_up.output, HasSubstr("the job's data were not found"));
}

}  // namespace sim_posix_test
}  // namespace surety::cli
