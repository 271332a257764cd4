// Wrong input as users see it: exit code 1, a message that states what to write instead, and no run
// that has begun.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "cli/commands/commands.h"
#include "cli/commands/runs_test.h"
#include "cli/exit_codes.h"

namespace surety::cli {
namespace wrong_input_posix_test {

using ::testing::HasSubstr;

class WrongInput : public ::testing::Test {
 protected:
  // Trains the job with this key changed, and returns the message.
  std::string refusal(const std::string& set) {
    const Finished run = runs_.surety({"train", job_, "--out", runs_.path("run"), "--set", set});
    EXPECT_EQ(run.code, kUsage) << run.output;
    EXPECT_FALSE(std::filesystem::exists(runs_.path("run"))) << set;
    return run.output;
  }
  // Writes a table with these labels, and returns its path.
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

TEST_F(WrongInput, TooFewSamplesToCertifyAnythingAreRefused) {
  std::ofstream(runs_.path("few.yaml"))
      << "promise: {metric: accuracy, target: 0.5, deadline: 5min}\n"
         "data: \"digits://?samples=100\"\nmodel: {zoo: mlp}\n";
  job_ = runs_.path("few.yaml");
  EXPECT_THAT(
      refusal("train.batch=16"),
      HasSubstr("samples are held out for validation, about one in 5, expected at least 40"));
  // A data set of one sample gets no message about classes.
  EXPECT_THAT(refusal("data=digits://?samples=1"),
              HasSubstr("data: found 1 sample in all, expected at least 200: one in 5"));
}

TEST_F(WrongInput, TrainingSamplesAreNoValidation) {
  std::ofstream(runs_.path("same.yaml"))
      << "promise: {metric: accuracy, target: 0.5, deadline: 5min}\n"
         "data: \"digits://?samples=400\"\nmodel: {zoo: mlp}\n";
  job_ = runs_.path("same.yaml");
  EXPECT_THAT(refusal("validation=digits://?samples=400"),
              HasSubstr("validation: found the same samples as in data set data-1"));
}

TEST_F(WrongInput, AMissingFileIsNamedWithTheJobAndItsKey) {
  const std::string said = refusal("data=csv://nowhere.csv?label=a");
  EXPECT_THAT(said, HasSubstr(job_ + ": data.data-1 (csv://"));
  EXPECT_THAT(said, HasSubstr("nowhere.csv: cannot open: No such file or directory. A relative "));
}

TEST_F(WrongInput, HelpIsAlsoACommand) {
  const Finished all = runs_.surety({"help"});
  EXPECT_EQ(all.code, kKept);
  EXPECT_THAT(all.output, HasSubstr("Exit codes: 0 promise kept"));
  const Finished one = runs_.surety({"help", "invite"});
  EXPECT_EQ(one.code, kKept);
  EXPECT_THAT(one.output, HasSubstr("surety invite runs/mnist-1 gpu-3"));
}

// A run removes checkpoints that it does not need, so it must not begin among others.
TEST_F(WrongInput, AFolderThatHasOtherCheckpointsIsRefusedAndStaysAsItWas) {
  const std::filesystem::path model = runs_.path("run") + "/checkpoints/pass-0001/weights.pt";
  std::filesystem::create_directories(model.parent_path());
  std::ofstream(model) << "precious";
  const Finished run = runs_.surety({"train", job_, "--out", runs_.path("run")});
  EXPECT_EQ(run.code, kUsage) << run.output;
  EXPECT_THAT(run.output, HasSubstr("choose another folder with --out"));
  EXPECT_TRUE(std::filesystem::exists(model));
}

// The folder of checkpoints was moved to another disk after the end; others may use it, too.
TEST_F(WrongInput, NothingBehindASymbolicLinkIsRemoved) {
  const std::string run = runs_.path("run");
  ASSERT_NE(runs_.surety({"train", job_, "--out", run}).code, kUsage);
  const std::filesystem::path others = runs_.path("others") + "/pass-0099";
  std::filesystem::create_directories(others);
  std::filesystem::remove_all(run + "/checkpoints");
  std::filesystem::create_directory_symlink(runs_.path("others"), run + "/checkpoints");
  runs_.surety({"train", "--resume", "--out", run});
  EXPECT_TRUE(std::filesystem::exists(others));
}

TEST_F(WrongInput, TwoColumnsOfOneNameAreNamedWithTheirFile) {
  std::ofstream(runs_.path("twice.csv")) << "a,a,y\n1,2,0\n";
  EXPECT_THAT(refusal("data=csv://" + runs_.path("twice.csv") + "?label=y"),
              HasSubstr("twice.csv: line 1: found column \"a\" twice, as columns 1 and 2"));
}

// There is a warning and no refusal, because some such tables can be learned.
TEST_F(WrongInput, AColumnThatIsMuchLargerThanTheOthersIsWarnedOfByName) {
  for (const int first : {0, 400}) {
    std::ofstream file(runs_.path(fmt::format("scales-{}.csv", first)));
    file << "a,income,b,y\n";
    for (int i = first; i < first + 400; ++i) {
      file << i % 5 << "," << 1000000 * (i % 3) << "," << i % 7 << "," << i % 2 << "\n";
    }
  }
  const Finished run =
      runs_.surety({"train", job_, "--out", runs_.path("scales"), "--set",
                    "data=csv://" + runs_.path("scales-0.csv") + "?label=y", "--set",
                    "validation=csv://" + runs_.path("scales-400.csv") + "?label=y", "--set",
                    "train.passes_max=2"});
  EXPECT_THAT(run.output, HasSubstr("column \"income\" has values of about 1.58e+06, and half of "
                                    "the others of at most 2.74"));
  EXPECT_THAT(run.output, HasSubstr("bring the features to one scale"));
}

TEST_F(WrongInput, LabelsFarFrom0AreWarnedOfWhereTheModelHasNoIntercept) {
  std::ofstream(runs_.path("labels.csv")) << "a,b,y\n1,2,101\n2,1,102\n3,1,100\n1,4,103\n";
  std::ofstream(runs_.path("one.csv")) << "one,b,y\n1,2,101\n1,1,102\n1,1,100\n1,4,103\n";
  const auto output = [&](const std::string& file, const std::string& zoo) {
    return runs_
        .surety({"train", job_, "--out", runs_.path(file + "-" + zoo), "--set",
                 "data=csv://" + runs_.path(file) + "?label=y", "--set",
                 "validation=csv://" + runs_.path("validation.csv") + "?label=y", "--set",
                 "model.zoo=" + zoo, "--set", "promise.metric=validation_loss", "--set",
                 "promise.target=1", "--set", "train.passes_max=1"})
        .output;
  };
  std::ofstream validation(runs_.path("validation.csv"));
  validation << "a,b,y\n";
  for (int i = 0; i < 40; ++i) validation << i + 0.5 << ",2,101\n";
  validation.close();
  EXPECT_THAT(output("labels.csv", "ridge"),
              HasSubstr("the labels have the mean 101.5 and the standard deviation 1.291, and "
                        "ridge has no intercept"));
  EXPECT_THAT(output("one.csv", "ridge"), Not(HasSubstr("intercept")));
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

TEST_F(WrongInput, ASimulatedNetworkSaysThatItsLossIsMadeUp) {
  std::ofstream(runs_.path("network.yaml"))
      << "promise: {target: 0.5, deadline: 5min}\ndata: \"digits://?samples=600\"\n"
         "model: {zoo: mlp}\n";
  const Finished simulated =
      runs_.surety({"sim", runs_.path("network.yaml"), "--mode", "train", "--quiet"});
  EXPECT_THAT(simulated.output, HasSubstr("the loss of a network falls by a made-up law"));
}

TEST_F(WrongInput, WhatWouldHaveNoEffectIsRefused) {
  EXPECT_EQ(runs_.surety({"sim", job_, "--nodes", "0"}).code, kUsage);
  const Finished seeds = runs_.surety({"sim", "--seeds", "5"});
  EXPECT_EQ(seeds.code, kUsage);
  EXPECT_THAT(seeds.output, HasSubstr("5:5 for one seed"));
  const Finished resumed =
      runs_.surety({"train", "--resume", "--out", runs_.path("run"), "--set", "train.batch=4"});
  EXPECT_EQ(resumed.code, kUsage);
  EXPECT_THAT(resumed.output, HasSubstr("--set train.batch=4 cannot be used with --resume"));
  const Finished best_effort =
      runs_.surety({"run", "--resume", "--out", runs_.path("run"), "--best-effort"});
  EXPECT_EQ(best_effort.code, kUsage);
  EXPECT_THAT(best_effort.output, HasSubstr("--best-effort cannot be used with --resume"));
}

// Only a worker can find this error: the run waits for a worker, the file changes, then the worker
// joins.
TEST_F(WrongInput, AFileThatChangesBeforeAWorkerReadsItEndsTheWorkerAndTheRunWaitsForAnother) {
  const std::string rows = runs_.output("rows.svm");
  struct Change {
    const char* what;
    std::string text;
    std::string expected_text;
  };
  const Change changes[] = {
      {"shorter", rows.substr(0, rows.find('\n', rows.size() / 2) + 1), "samples, expected 3000"},
      {"torn", rows, "line 3: "},
      {"label", "0.5" + rows.substr(2), "found other values in samples 1 to "},
      {"gone", "", "No such file"}};
  for (Change change : changes) {
    std::ofstream(runs_.path("rows.svm")) << rows;
    const std::string name = change.what;
    posix::Process run = runs_.start({"train", job_, "--out", runs_.path(name), "--set",
                                      "cluster={local: 0, listen: \"127.0.0.1:0\"}"},
                                     name + ".log");
    const std::string line = runs_.address(name + ".log");
    if (name == "torn") {
      const std::size_t third = rows.find('\n', rows.find('\n') + 1) + 1;
      change.text = rows.substr(0, third) + "1 1:red\n" + rows.substr(third);
    }
    std::ofstream(runs_.path("rows.svm")) << change.text;
    if (change.text.empty()) std::filesystem::remove(runs_.path("rows.svm"));
    posix::Process worker = runs_.start({"worker", "--join", line.substr(0, line.find(' ')),
                                         "--token-file", runs_.path(name) + "/token"},
                                        name + ".worker");
    const auto status = worker.wait(posix::kTestPatience);
    ASSERT_TRUE(status) << runs_.output(name + ".worker");
    EXPECT_EQ(status->code, kUsage) << name << ": " << runs_.output(name + ".worker");
    EXPECT_TRUE(runs_.wait_for_output(name + ".log", change.expected_text, 1, &run)) << name;
    for (const char* log : {".worker", ".log"}) {
      EXPECT_THAT(runs_.output(name + log),
                  ::testing::AllOf(HasSubstr("rows.svm"), HasSubstr(change.expected_text)));
    }
    EXPECT_FALSE(run.poll()) << name;  // Another worker may have the data.
  }
}

// A journal could be written with such a text, but not read again.
TEST_F(WrongInput, APathThatIsNotUtf8IsRefusedBeforeTheRunBegins) {
  const std::string job = runs_.path("job-\xff.yaml");
  std::filesystem::copy_file(job_, job);
  const Finished refused = runs_.surety({"train", job, "--out", runs_.path("run")});
  EXPECT_EQ(refused.code, kUsage) << refused.output;
  EXPECT_THAT(refused.output, HasSubstr("a byte that is not UTF-8"));
  EXPECT_FALSE(std::filesystem::exists(runs_.path("run/journal.log")));
}

TEST_F(WrongInput, AFolderThatCannotBeMadeIsNamedWithTheReason) {
  const Finished refused = runs_.surety({"train", job_, "--out", job_ + "/run"});
  EXPECT_EQ(refused.code, kUsage) << refused.output;
  EXPECT_THAT(refused.output, HasSubstr(job_ + "/run: cannot make this folder: Not a directory; "
                                               "choose another one with --out"));
}

TEST_F(WrongInput, ALongNameOfAColumnInAWarningIsCutBetweenCharacters) {
  std::string name = "x";
  for (int i = 0; i < 30; ++i) name += "\xc3\xa4";
  std::ofstream rows(runs_.path("wide.csv"));
  rows << "a," << name << ",y\n";
  for (int i = 0; i < 2000; ++i) {
    rows << 0.01 * (i % 7) << ',' << 100000 * (i % 5) << ',' << i % 2 << '\n';
  }
  rows.close();
  std::ofstream(runs_.path("wide.yaml"))
      << "promise: {metric: accuracy, target: 0.4, deadline: 5min}\ncluster: {local: 1}\n"
         "data: \"csv://wide.csv?label=y\"\nmodel: {zoo: logistic}\ntrain: {passes_max: 2}\n";
  const Finished trained =
      runs_.surety({"train", runs_.path("wide.yaml"), "--out", runs_.path("run")});
  EXPECT_THAT(trained.output, HasSubstr("x\xc3\xa4")) << trained.output;
  const Finished verified = runs_.surety({"verify", runs_.path("run")});
  EXPECT_EQ(verified.code, kKept) << verified.output;
}

// No coordinator is needed: these errors are found before the worker calls it.
TEST_F(WrongInput, AWorkersTokenIsAPrivateFileAndText) {
  const auto join = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {"worker", "--join", "127.0.0.1:1"});
    return runs_.surety(options);
  };
  const std::string file = runs_.path("token");
  std::ofstream(file) << "secret\n";
  std::filesystem::permissions(file, std::filesystem::perms(0644));
  const Finished open_file = join({"--token-file", file});
  EXPECT_EQ(open_file.code, kUsage);
  EXPECT_THAT(open_file.output, HasSubstr("expected a file that only you may read (chmod 600)"));
  const Finished no_text = join({"--token", "\xff"});
  EXPECT_EQ(no_text.code, kUsage);
  EXPECT_THAT(no_text.output, HasSubstr("a token with a byte that is not UTF-8"));
  const Finished no_type = join({"--token", "secret", "--type", "\xff"});
  EXPECT_EQ(no_type.code, kUsage);
  EXPECT_THAT(no_type.output, HasSubstr("--type: found a byte that is not UTF-8"));
}

TEST_F(WrongInput, ARunDoesNotGoOnWithOtherDataThanItBeganWith) {
  const std::string rows = runs_.output("rows.svm");
  std::string fewer = rows.substr(0, rows.find('\n', rows.size() / 2) + 1);
  std::string other = rows;
  for (char& sign : other) sign = sign == '+' ? '-' : sign == '-' ? '+' : sign;
  for (const auto& [text, expected_text] :
       {std::pair{fewer, "samples, expected 3000"}, std::pair{other, "other values in its 3000"}}) {
    std::ofstream(runs_.path("rows.svm")) << rows;
    runs_.in_time(400, [&](int passes_max) {
      posix::Process run = runs_.start(runs_.training(passes_max), "log");
      return runs_.comes(run, "a pass", [](const Records& r) { return passes(r) > 0; }) &&
             runs_.kill(run);
    });
    std::ofstream(runs_.path("rows.svm")) << text;
    const Finished resumed = runs_.surety({"train", "--resume", "--out", runs_.path("run")});
    EXPECT_EQ(resumed.code, kUsage) << resumed.output;
    EXPECT_THAT(resumed.output, HasSubstr("rows.svm) has changed since the run began"));
    EXPECT_THAT(resumed.output, HasSubstr(expected_text));
  }
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
