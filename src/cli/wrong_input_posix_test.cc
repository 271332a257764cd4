// Wrong input as users meet it: exit code 1, what to write instead, and nothing that was begun.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "cli/commands.h"
#include "cli/runs_test.h"

namespace surety::cli {
namespace wrong_input_posix_test {

using ::testing::HasSubstr;

class WrongInput : public ::testing::Test {
 protected:
  // Trains the job with this key changed; returns what is said of it.
  std::string refusal(const std::string& set) {
    const Finished run = runs_.surety({"train", job_, "--out", runs_.path("run"), "--set", set});
    EXPECT_EQ(run.code, kUsage) << run.output;
    EXPECT_FALSE(std::filesystem::exists(runs_.path("run"))) << set;
    return run.output;
  }
  // A table with these labels; returns its source.
  std::string table(const std::string& labels) {
    std::ofstream file(runs_.path("table.csv"));
    file << "a,b,y\n";
    for (int i = 0; i < 100; ++i) file << i << "," << i % 7 << "," << i % 2 << "\n";
    file << "1,2," << labels << "\n";
    return "data=csv://" + runs_.path("table.csv") + "?label=y";
  }

  Runs runs_;
  std::string job_ = runs_.glm_job();
};

TEST_F(WrongInput, LabelsThatTheModelCannotLearnAreFoundBeforeWorkersStart) {
  EXPECT_THAT(refusal(table("0.5")),
              HasSubstr("table.csv?label=y): found label 0.5 in 1 of 101 samples, expected -1 and "
                        "+1, or 0 and 1"));
  EXPECT_THAT(refusal("data=digits://?samples=200"), HasSubstr("found label 2 in 20 of 200"));
}

TEST_F(WrongInput, ALearningRateThatIsToBeFoundNeedsARunThatComparesAttempts) {
  std::ofstream(runs_.path("network.yaml"))
      << "promise: {target: 0.5, deadline: 5min}\ndata: \"digits://?samples=600\"\n"
         "model: {zoo: mlp}\ntrain: {learning_rate: auto}\n";
  job_ = runs_.path("network.yaml");
  EXPECT_THAT(refusal("train.batch=16"),
              HasSubstr("train.learning_rate: found auto, expected a number"));
}

TEST_F(WrongInput, ASourceThatNobodyReadsIsNamedAsItWasWritten) {
  EXPECT_THAT(refusal("data=s3://bucket/x"), HasSubstr("\"s3://bucket/x\": found scheme \"s3\""));
}

TEST_F(WrongInput, ACommandLineIsAnsweredWithTheNearestWords) {
  const Finished command = runs_.surety({"rnu", job_});
  EXPECT_EQ(command.code, kUsage);
  EXPECT_THAT(command.output, HasSubstr("did you mean run?"));
  const Finished option = runs_.surety({"run", job_, "--sett", "a=b"});
  EXPECT_EQ(option.code, kUsage);
  EXPECT_THAT(option.output, HasSubstr("did you mean --set?"));
}

TEST_F(WrongInput, WhatWouldHaveNoEffectIsRefused) {
  EXPECT_EQ(runs_.surety({"sim", job_, "--nodes", "0"}).code, kUsage);
  const Finished seeds = runs_.surety({"sim", "--seeds", "5"});
  EXPECT_EQ(seeds.code, kUsage);
  EXPECT_THAT(seeds.output, HasSubstr("5:5 for one seed"));
  const Finished resumed =
      runs_.surety({"train", "--resume", "--out", runs_.path("run"), "--set", "train.batch=4"});
  EXPECT_EQ(resumed.code, kUsage);
  EXPECT_THAT(resumed.output, HasSubstr("--set train.batch=4: found with --resume"));
}

TEST_F(WrongInput, TrainingDoesNotAskForWorkersThatOnlyAProfileNeeds) {
  const std::vector<std::string> more{"--out", runs_.path("run"),   "--set", "profile.workers=[8]",
                                      "--set", "promise.target=0.9"};
  for (const auto& [command, code] : {std::pair{"profile", kUsage}, std::pair{"train", kKept}}) {
    std::vector<std::string> arguments{command, job_};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Finished run = runs_.surety(arguments);
    EXPECT_EQ(run.code, code) << command << ": " << run.output;
  }
}

}  // namespace wrong_input_posix_test
}  // namespace surety::cli
