// Whole runs with real processes that are resumed by another coordinator.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstddef>
#include <fstream>
#include <set>

#include "cli/commands/commands.h"
#include "cli/commands/runs_test.h"
#include "cli/exit_codes.h"

namespace surety::cli {
namespace resume_posix_test {

using ::testing::HasSubstr;

TEST(Run, AKilledCoordinatorIsResumedFromItsLastCheckpoint) {
  Runs runs;
  std::size_t planned = 0;
  runs.in_time(200, [&](int passes_max) {
    planned = static_cast<std::size_t>(passes_max);
    posix::Process run = runs.start(runs.training(passes_max), "log");
    return runs.comes(run, "20 passes", [](const Records& r) { return passes(r) >= 20; }) &&
           runs.kill(run);
  });
  const Records killed = runs.journal("run");
  const std::size_t before = passes(killed);
  EXPECT_THAT(
      runs.surety({"status", runs.path("run")}).output,
      AllOf(HasSubstr("no coordinator on this machine is running it; continue with  surety train"),
            HasSubstr(" are left if it is resumed now, because the deadline does not wait")));
  std::size_t kept = 0;  // Passes that have a checkpoint after them.
  for (const auto& record : killed) {
    if (record.has_checkpoint_committed()) kept = record.checkpoint_committed().pass();
  }
  const Finished resumed = runs.surety({"train", "--resume", "--out", runs.path("run")});
  EXPECT_EQ(resumed.code, kMissed) << resumed.output;
  // Only the passes after the checkpoint, and the current one, were trained twice: w = A alpha was
  // restored together with the dual variables.
  EXPECT_LE(passes(runs.journal("run")), planned + 1 + before - kept);
  EXPECT_GE(passes(runs.journal("run")), before);
  EXPECT_EQ(runs.surety({"verify", runs.path("run")}).code, kKept);
}

// The next coordinator trains once it has three workers (workers_min), however late they reconnect.
TEST(Run, WorkersOfAKilledCoordinatorGoOnWithTheNextOne) {
  Runs runs;
  runs.in_time(200, [&](int passes_max) {
    posix::Process run = runs.start(runs.training(passes_max, {"cluster.workers_min=3"}), "log");
    return runs.comes(run, "20 passes", [](const Records& r) { return passes(r) >= 20; }) &&
           runs.kill(run);
  });
  // A worker that is silent on a busy machine may join again: its process counts once.
  const std::vector<pid_t> first = workers(runs.journal("run"));
  const std::set<pid_t> before(first.begin(), first.end());
  ASSERT_EQ(before.size(), 3u);
  const Finished resumed = runs.surety({"train", "--resume", "--out", runs.path("run")});
  EXPECT_EQ(resumed.code, kMissed) << resumed.output;
  EXPECT_THAT(resumed.output,
              HasSubstr("3 local workers of coordinator 1 are still running and may call again"));
  const std::vector<pid_t> all = workers(runs.journal("run"));
  ASSERT_GE(all.size(), first.size());
  const auto next = all.begin() + static_cast<std::ptrdiff_t>(first.size());
  EXPECT_EQ(std::set<pid_t>(next, all.end()), before);
  EXPECT_FALSE(std::filesystem::exists(runs.path("run") + "/logs/worker-4.log"));
  for (const char* log : {"/logs/worker-1.log", "/logs/worker-2.log", "/logs/worker-3.log"}) {
    EXPECT_THAT(runs.output("run" + std::string(log)), HasSubstr("chunks are still here"));
  }
  EXPECT_EQ(runs.surety({"verify", runs.path("run")}).code, kKept);
}

// The coordinator was killed after its last record, before it wrote the result files.
TEST(Run, ThatHasEndedIsResumedToWhatItLeaves) {
  Runs runs;
  const std::string job = runs.glm_job();
  const Finished run = runs.surety({"train", job, "--out", runs.path("run"), "--set",
                                    "train.passes_max=3", "--set", "promise.target=1e-300"});
  EXPECT_EQ(run.code, kMissed) << run.output;
  for (const char* file : {"/certificate.json", "/report.html", "/model.safetensors"}) {
    std::filesystem::remove(runs.path("run") + file);
  }
  // If the certificate exists, all other files of the run exist too.
  std::filesystem::create_directory(runs.path("run") + "/report.html");
  EXPECT_EQ(runs.surety({"train", "--resume", "--out", runs.path("run")}).code, kFailed);
  EXPECT_FALSE(std::filesystem::exists(runs.path("run") + "/certificate.json"));
  std::filesystem::remove(runs.path("run") + "/report.html");
  const Finished resumed = runs.surety({"train", "--resume", "--out", runs.path("run")});
  EXPECT_EQ(resumed.code, kMissed) << resumed.output;
  EXPECT_EQ(passes(runs.journal("run")), 3u);
  EXPECT_EQ(runs.surety({"verify", runs.path("run")}).code, kKept);
}

TEST(Run, HasOneCoordinatorWhoseSecretIsKeptWhileItRuns) {
  Runs runs;
  std::optional<posix::Process> run;
  const std::string secret = runs.path("run") + "/coordinator.json";
  runs.in_time(150, [&](int passes_max) {
    run = runs.start(runs.training(passes_max), "log");
    if (!runs.comes(*run, "2 passes", [](const Records& r) { return passes(r) >= 2; })) {
      return false;
    }
    const Finished second = runs.surety({"train", "--resume", "--out", runs.path("run")});
    std::error_code none;
    const std::filesystem::file_status kept = std::filesystem::status(secret, none);
    // The run deletes these files at its end, after this record.
    if (has_ended(runs.journal("run"))) {
      EXPECT_TRUE(run->wait(posix::kTestPatience));
      return false;
    }
    EXPECT_EQ(second.code, kUsage) << second.output;
    EXPECT_THAT(second.output, HasSubstr("a run has only one coordinator"));
    EXPECT_EQ(kept.permissions(),
              std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    return true;
  });
  ASSERT_TRUE(run->wait(posix::kTestPatience));
  EXPECT_FALSE(std::filesystem::exists(secret));
}

TEST(Run, CtrlCStopsARunThatCanBeResumed) {
  Runs runs;
  posix::Process run = runs.start(runs.training(kEndless), "log");
  ASSERT_TRUE(runs.wait_for_passes(2));
  run.send_signal(SIGINT);
  const auto status = run.wait(posix::kTestPatience);
  ASSERT_TRUE(status);
  EXPECT_EQ(status->code, kInterrupted);
  EXPECT_THAT(runs.output("log"), HasSubstr("--resume --out"));
}

TEST(Run, ThatCannotBeResumedLeavesNoRecordAboutIt) {
  Runs runs;
  posix::Process run = runs.start(runs.training(kEndless), "log");
  ASSERT_TRUE(runs.wait_for_passes(2));
  run.send_signal(SIGINT);
  ASSERT_TRUE(run.wait(posix::kTestPatience));
  const std::size_t records = runs.journal("run").size();
  std::ofstream(runs.path("run") + "/coordinator.json") << "{}";
  for (int i = 0; i < 2; ++i) {
    const Finished refused = runs.surety({"train", "--resume", "--out", runs.path("run")});
    EXPECT_EQ(refused.code, kUsage) << refused.output;
    EXPECT_THAT(refused.output, HasSubstr("remove this file to resume the run"));
  }
  EXPECT_EQ(runs.journal("run").size(), records);
}

}  // namespace resume_posix_test
}  // namespace surety::cli
