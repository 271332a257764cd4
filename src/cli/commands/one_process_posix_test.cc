// A job with one worker that no other worker may join is one process. Its results must be the same
// as those of two processes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "base/posix/file.h"
#include "cli/commands/commands.h"
#include "cli/commands/runs_test.h"
#include "cli/exit_codes.h"

namespace surety::cli {
namespace one_process_posix_test {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kOneProcess = "cluster={local: 1}";
// Other workers may join, so the local worker is a process like them.
constexpr const char* kTwoProcesses = "cluster={local: 1, listen: \"127.0.0.1:0\"}";

std::string bytes_of(const std::string& file) { return posix::read_file(file).value(); }

// Files of the run, without logs of worker processes and without checkpoints.
std::set<std::string> files_of(const std::filesystem::path& run) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(run)) {
    const std::string name = std::filesystem::relative(entry.path(), run).string();
    // Which passes have a checkpoint depends on how long they take.
    if (!name.starts_with("logs/") && !name.starts_with("checkpoints/")) names.insert(name);
  }
  return names;
}

// Kinds of the journal's records, without checkpoints between passes.
std::vector<int> facts_of(const Records& records) {
  std::vector<int> facts;
  for (const auto& record : records) {
    if (!record.has_checkpoint_committed()) facts.push_back(record.fact_case());
  }
  return facts;
}

TEST(OneProcess, TheModelTheCertificateAndTheFolderAreThoseOfTwoProcesses) {
  Runs runs;
  const std::string job = runs.glm_job();
  for (const auto& [name, cluster] :
       std::map<std::string, std::string>{{"one", kOneProcess}, {"two", kTwoProcesses}}) {
    const Finished run = runs.surety(
        {"train", job, "--out", runs.path(name), "--set", cluster, "--set", "promise.target=1e-4"});
    EXPECT_EQ(run.code, kKept) << run.output;
    EXPECT_EQ(runs.surety({"verify", runs.path(name)}).code, kKept);
  }
  const std::string one = runs.path("one");
  const std::string two = runs.path("two");
  EXPECT_EQ(bytes_of(one + "/model.safetensors"), bytes_of(two + "/model.safetensors"));
  EXPECT_EQ(bytes_of(one + "/model.liblinear"), bytes_of(two + "/model.liblinear"));
  EXPECT_EQ(files_of(one), files_of(two));
  // A worker that is silent on a busy machine is lost, and joins again.
  if (silent(runs.journal("one")) + silent(runs.journal("two")) == 0) {
    EXPECT_EQ(facts_of(runs.journal("one")), facts_of(runs.journal("two")));
  }
  const auto certified = [](const std::string& run) {
    return nlohmann::json::parse(bytes_of(run + "/certificate.json")).at("certified").at("metric");
  };
  EXPECT_EQ(certified(one), certified(two));
}

TEST(OneProcess, ItHasNoWorkerProcessAndNoPort) {
  Runs runs;
  posix::Process run =
      runs.start(runs.training(kEndless, {kOneProcess, "train.lambda=1e-6"}), "log");
  ASSERT_TRUE(runs.wait_for_passes(2));
  EXPECT_THAT(workers(runs.journal("run")), ::testing::Each(run.pid()));
  EXPECT_THAT(runs.output("log"), Not(HasSubstr("can join")));
  run.send_signal(SIGINT);
  const auto status = run.wait(posix::kTestPatience);
  ASSERT_TRUE(status);
  EXPECT_EQ(status->code, kInterrupted);
  EXPECT_THAT(runs.output("log"), HasSubstr("--resume --out"));
}

// Nothing has been recorded yet that would have to be kept.
TEST(OneProcess, ASignalEndsItWhileItsDataAreRead) {
  Runs runs;
  posix::Process run =
      runs.start({"train", runs.glm_job(), "--out", runs.path("run"), "--set",
                  "data=synthetic://?samples=100000000&features=5000&seed=1", "--set", kOneProcess},
                 "log");
  ASSERT_TRUE(runs.wait_for_output("log", "reading data set data-1", 1, &run));
  run.send_signal(SIGINT);
  EXPECT_TRUE(run.wait(posix::kTestPatience));
  EXPECT_FALSE(std::filesystem::exists(runs.path("run/journal.log")));
}

// Pass of the newest checkpoint; 0 means that there is none.
std::size_t checkpoint(const Records& records) {
  std::size_t pass = 0;
  for (const auto& record : records) {
    if (record.has_checkpoint_committed()) pass = record.checkpoint_committed().pass();
  }
  return pass;
}

// Trains into the folder `run` and kills the run after a checkpoint and before the end. Returns how
// many passes were planned.
std::size_t train_and_kill(Runs& runs) {
  std::size_t planned = 0;
  // The first checkpoint comes after seconds of training, or at its end.
  runs.in_time(400, [&](int passes_max) {
    planned = static_cast<std::size_t>(passes_max);
    posix::Process run =
        runs.start(runs.training(passes_max, {kOneProcess, "train.lambda=1e-6"}), "log");
    return runs.comes(run, "a checkpoint", [&](const Records& r) { return checkpoint(r) > 0; }) &&
           runs.kill(run) && checkpoint(runs.journal("run")) < planned;
  });
  return planned;
}

// Only the passes after the checkpoint of the killed run were repeated. A worker that is silent on
// a busy machine loses its model, so further passes are repeated.
void expect_that_resuming_repeated(std::size_t repeated, std::size_t planned,
                                   const Records& records) {
  EXPECT_GE(passes(records), planned + repeated);
  if (silent(records) == 0) {
    EXPECT_EQ(passes(records), planned + repeated);
  }
}

TEST(OneProcess, KilledItIsResumedFromItsLastCheckpoint) {
  Runs runs;
  const std::size_t planned = train_and_kill(runs);
  const std::size_t before = passes(runs.journal("run"));
  const std::size_t kept = checkpoint(runs.journal("run"));
  const Finished resumed = runs.surety({"train", "--resume", "--out", runs.path("run")});
  EXPECT_EQ(resumed.code, kMissed) << resumed.output;
  expect_that_resuming_repeated(before - kept, planned, runs.journal("run"));
  EXPECT_EQ(runs.surety({"verify", runs.path("run")}).code, kKept);
}

TEST(OneProcess, ACopyOfARunThatGoesOnLeavesTheOriginalsCheckpointsAlone) {
  Runs runs;
  train_and_kill(runs);
  const auto checkpoints = [&] {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(
             std::filesystem::path(runs.path("run")) / "checkpoints")) {
      names.insert(entry.path().string());
    }
    return names;
  };
  const std::set<std::string> before = checkpoints();
  ASSERT_FALSE(before.empty());
  std::filesystem::copy(runs.path("run"), runs.path("copy"),
                        std::filesystem::copy_options::recursive);
  const Finished resumed = runs.surety({"train", "--resume", "--out", runs.path("copy")});
  EXPECT_EQ(resumed.code, kMissed) << resumed.output;
  EXPECT_EQ(checkpoints(), before);
}

TEST(OneProcess, ARunWhoseFolderWasMovedGoesOnFromItsLastCheckpoint) {
  Runs runs;
  const std::size_t planned = train_and_kill(runs);
  const Records killed = runs.journal("run");
  std::filesystem::rename(runs.path("run"), runs.path("moved"));
  const Finished resumed = runs.surety({"train", "--resume", "--out", runs.path("moved")});
  EXPECT_EQ(resumed.code, kMissed) << resumed.output;
  expect_that_resuming_repeated(passes(killed) - checkpoint(killed), planned,
                                runs.journal("moved"));
  EXPECT_EQ(runs.surety({"verify", runs.path("moved")}).code, kKept);
  std::filesystem::rename(runs.path("moved"), runs.path("again"));
  EXPECT_EQ(runs.surety({"verify", runs.path("again")}).code, kKept);
}

TEST(OneProcess, TheLogOfAResumedRunTellsEachMomentOnceAndItsTimesOnlyGrow) {
  Runs runs;
  train_and_kill(runs);
  ASSERT_EQ(runs.surety({"train", "--resume", "--out", runs.path("run")}).code, kMissed);
  std::istringstream log(runs.output("run/coordinator.log"));
  double last_s = 0;
  std::size_t first_passes = 0;
  std::size_t resumptions = 0;
  for (std::string line; std::getline(log, line);) {
    const double seconds = std::stod(line);
    EXPECT_GE(seconds, last_s) << line;
    last_s = seconds;
    if (line.find("pass   1 ") != std::string::npos) ++first_passes;
    if (line.find("resumed from the journal") != std::string::npos) ++resumptions;
  }
  EXPECT_EQ(first_passes, 1u);
  EXPECT_EQ(resumptions, 1u);
}

TEST(OneProcess, IsResumedAlsoWhereItsFolderStandsInPlaceOfTheJob) {
  Runs runs;
  ASSERT_EQ(runs.surety({"train", runs.glm_job(), "--out", runs.path("run"), "--set",
                         "train.passes_max=3", "--set", "promise.target=1e-300"})
                .code,
            kMissed);
  std::filesystem::remove(runs.path("run") + "/certificate.json");
  EXPECT_EQ(runs.surety({"train", "--resume", runs.path("run")}).code, kMissed);
  EXPECT_TRUE(std::filesystem::exists(runs.path("run") + "/certificate.json"));
}

// A run of another job is not resumed only because it is the newest, or because it was named.
TEST(OneProcess, IsResumedOnlyAsARunOfTheJobThatIsNamed) {
  Runs runs;
  ASSERT_EQ(runs.surety({"train", runs.glm_job(), "--out", runs.path("run"), "--set",
                         "train.passes_max=3", "--set", "promise.target=1e-300"})
                .code,
            kMissed);
  EXPECT_EQ(runs.surety({"train", runs.glm_job(), "--resume", "--out", runs.path("run")}).code,
            kMissed);
  const std::string other = runs.path("other.yaml");
  std::string text = bytes_of(runs.glm_job());
  std::ofstream(other) << text.replace(text.find("name: glm"), 9, "name: other");
  const Finished named = runs.surety({"train", other, "--resume", "--out", runs.path("run")});
  EXPECT_EQ(named.code, kUsage);
  EXPECT_THAT(named.output, HasSubstr("expected one of 'other'"));
  const Finished newest = runs.surety({"train", other, "--resume"});
  EXPECT_EQ(newest.code, kUsage);
  EXPECT_THAT(newest.output, HasSubstr("found no unfinished run of the job 'other' under runs/"));
}

}  // namespace one_process_posix_test
}  // namespace surety::cli
