// `surety sim` on jobs of a user.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

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

TEST(SimCommand, TheDataSetWhoseFileIsMissingIsNamed) {
  Runs runs;
  const Finished refused = runs.surety(
      {"sim", runs.glm_job(), "--quiet", "--set", "validation=\"libsvm://none/rows.svm\""});
  EXPECT_EQ(refused.code, kUsage) << refused.output;
  EXPECT_THAT(refused.output, HasSubstr("validation (libsvm://"));
  EXPECT_THAT(refused.output, HasSubstr("found no such file"));
  EXPECT_THAT(refused.output, Not(HasSubstr("data-1")));
}

TEST(SimCommand, AJobThatTheRealCommandRefusesIsRefused) {
  Runs runs;
  std::ofstream(runs.path("network.yaml"))
      << "promise: {target: 0.5, deadline: 5min}\ndata: \"digits://?samples=600\"\n"
         "model: {zoo: mlp}\n";
  const auto refusal = [&](const std::string& job, const std::string& mode,
                           const std::vector<std::string>& sets) {
    std::vector<std::string> words{"sim", job, "--quiet", "--mode", mode};
    for (const std::string& set : sets) words.insert(words.end(), {"--set", set});
    const Finished refused = runs.surety(words);
    EXPECT_EQ(refused.code, kUsage) << refused.output;
    return refused.output;
  };
  const std::string network = runs.path("network.yaml");
  EXPECT_THAT(refusal(network, "train", {"train.learning_rate=auto"}),
              HasSubstr("train.learning_rate: found auto"));
  EXPECT_THAT(refusal(network, "run",
                      {"cluster.nodes=[{name: small, local: 1, memory: 1KiB, price: 0.36/h}]"}),
              HasSubstr("found no type with enough memory for any version of mlp"));
  EXPECT_THAT(refusal(network, "run", {"data=\"digits://?samples=many\""}), HasSubstr("many"));
  const std::string linear = runs.glm_job();
  EXPECT_THAT(refusal(linear, "profile", {"profile.workers=[9]"}),
              HasSubstr("profile.workers: found 9, expected counts up to 3"));
  EXPECT_THAT(
      refusal(linear, "run",
              {"profile.data_fractions=[0.5, 1]", "profile.seeds=2", "promise.probability=0.99"}),
      HasSubstr("profile.seeds: found 2, expected at least"));
}

TEST(SimCommand, AnOptionThatWouldHaveNoEffectIsRefused) {
  Runs runs;
  const std::string job = runs.glm_job();
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{job, "--samples-per-s", "100"}, "--samples-per-s cannot be used with the linear model"},
      {{job, "--rewrite"}, "--rewrite needs a scenario"},
      {{job, "--asynchronous"}, "--asynchronous needs --seeds"},
      {{"--seeds", "1:1", "--nodes", "3"}, "--nodes cannot be used with --seeds"},
      {{"--seeds", "1:1", "--json"}, "--json cannot be used with --seeds"},
      {{job, "--seeds", "1:1"}, "a job file cannot be used with --seeds"},
      {{"--scenario", "x.txt", "--seed", "3"}, "--seed cannot be used with --scenario"},
      {{job, "--scenario", "x.txt"}, "a job file cannot be used with --scenario"}};
  for (const auto& [words, expected] : cases) {
    std::vector<std::string> command{"sim"};
    command.insert(command.end(), words.begin(), words.end());
    const Finished refused = runs.surety(command);
    EXPECT_EQ(refused.code, kUsage) << refused.output;
    EXPECT_THAT(refused.output, HasSubstr(expected));
  }
}

}  // namespace sim_posix_test
}  // namespace surety::cli
