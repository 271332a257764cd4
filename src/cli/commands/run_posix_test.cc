// Whole runs with real processes on this machine: the actions of users, and the failures that can
// happen.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>

#include "base/posix/file.h"
#include "cli/commands/commands.h"
#include "cli/commands/runs_test.h"
#include "cli/exit_codes.h"

namespace surety::cli {
namespace run_posix_test {

using ::testing::HasSubstr;
using ::testing::Not;

std::string fact(const Records& records, const std::string& kind) {
  for (const auto& record : records) {
    if (record.has_worker_gone() && record.worker_gone().kind() == kind) {
      return record.worker_gone().reason();
    }
  }
  return "";
}

// Each pass follows the previous pass, or the newest checkpoint if the run has returned to it. The
// last pass is the planned one.
void expect_passes_in_order(const Records& records, std::size_t planned) {
  std::size_t last = 0;
  std::size_t saved = 0;
  for (const auto& record : records) {
    if (record.has_checkpoint_committed()) saved = record.checkpoint_committed().pass();
    if (!record.has_pass_done()) continue;
    const std::size_t pass = record.pass_done().pass();
    EXPECT_TRUE(pass == last + 1 || (pass <= last && pass == saved + 1))
        << "pass " << pass << " after pass " << last << " and the checkpoint of " << saved;
    last = pass;
  }
  EXPECT_EQ(last, planned);
}

// How this process left last, according to the journal; empty if it did not leave. It may have
// joined several times.
std::string kind_of_leave(const Records& records, pid_t process) {
  std::set<std::uint32_t> numbers;
  std::string kind;
  for (const auto& record : records) {
    if (record.has_worker_joined() && static_cast<pid_t>(record.worker_joined().pid()) == process) {
      numbers.insert(record.worker_joined().worker());
    }
    if (record.has_worker_gone() && numbers.contains(record.worker_gone().worker())) {
      kind = record.worker_gone().kind();
    }
  }
  return kind;
}

TEST(Run, AGlmPromiseIsKeptAndVerified) {
  Runs runs;
  const std::string job = runs.glm_job();
  const Finished run = runs.surety({"run", job, "--out", runs.path("run"), "--set",
                                    "promise.target=0.02", "--set", "train.lambda=0.001"});
  EXPECT_EQ(run.code, kKept) << run.output;
  EXPECT_THAT(run.output, HasSubstr("Promise kept"));
  for (const char* file :
       {"certificate.json", "report.html", "metrics.csv", "model.safetensors", "coordinator.log"}) {
    EXPECT_TRUE(std::filesystem::exists(runs.path("run") + "/" + file)) << file;
  }
  const Finished verified = runs.surety({"verify", runs.path("run")});
  EXPECT_EQ(verified.code, kKept) << verified.output;
}

// More than half of the labels are 1, so a model without input reaches an accuracy of one half.
TEST(Run, ATargetThatAGuessReachesIsNamedInTheResultTheCertificateAndTheReport) {
  Runs runs;
  const Finished run = runs.surety(
      {"run", runs.glm_job(), "--out", runs.path("run"), "--set", "promise.metric=accuracy",
       "--set", "promise.target=0.5", "--set", "data=\"synthetic://?samples=2000&features=5\"",
       "--set", "validation=\"synthetic://?samples=1000&features=5&first=100000\""});
  EXPECT_EQ(run.code, kKept) << run.output;
  const auto named = HasSubstr("of the validation samples have the label");
  const std::size_t result = run.output.find("Promise kept");
  ASSERT_NE(result, std::string::npos);
  EXPECT_THAT(run.output.substr(result), named);
  for (const char* file : {"/certificate.json", "/report.html"}) {
    EXPECT_THAT(posix::read_file(runs.path("run") + file).value(), named) << file;
  }
  const Finished verified = runs.surety({"verify", runs.path("run")});
  EXPECT_EQ(verified.code, kKept);
  EXPECT_THAT(verified.output, named);
}

TEST(Run, WhoWaitsIsToldWhatForEveryFewSeconds) {
  Runs runs;
  posix::Process run = runs.start({"run", runs.glm_job(), "--out", runs.path("run"), "--set",
                                   "cluster={local: 0, listen: \"127.0.0.1:0\"}"},
                                  "log");
  // The lines come after about 4 and 9 seconds; the exact times depend on the machine.
  EXPECT_TRUE(runs.wait_for_output("log", "0 of 1 worker has joined (waiting for ", 2));
  run.send_signal(SIGTERM);
  EXPECT_TRUE(run.wait(posix::kTestPatience));
}

TEST(Run, ANetworkIsTrainedByTwoWorkersAndCertified) {
  Runs runs;
  const std::string job = runs.glm_job();
  const Finished run = runs.surety(
      {"train",
       job,
       "--out",
       runs.path("run"),
       "--set",
       "data=\"digits://?samples=600\"",
       "--set",
       "validation=\"digits://?samples=200&first=100000\"",
       "--set",
       "model={zoo: mlp, versions: [full]}",
       "--set",
       "promise.metric=validation_loss",
       "--set",
       "promise.target=1.5",
       "--set",
       "promise.deadline=60min",
       "--set",
       "train={learning_rate: 0.05, passes_max: 6, policies: {rebalance: off, cut_off: off}}",
       "--set",
       "cluster.local=2"});
  EXPECT_EQ(run.code, kKept) << run.output;
  EXPECT_THAT(run.output, HasSubstr("Promise kept"));
}

TEST(Run, ALinearModelIsTrainedByWorkersThatDoNotWaitForEachOther) {
  Runs runs;
  const std::string job = runs.glm_job();
  for (const std::string mode : {"async", "bounded", "batch"}) {
    const Finished run =
        runs.surety({"train", job, "--out", runs.path(mode), "--set", "train.mode=" + mode, "--set",
                     "train.lambda=0.01", "--set", "promise.target=1e-3", "--set",
                     "train.passes_max=1000", "--set", "promise.deadline=30min"});
    EXPECT_EQ(run.code, kKept) << run.output;
    EXPECT_EQ(runs.surety({"verify", runs.path(mode)}).code, kKept);
  }
}

// An outer learning rate of nearly zero leaves the model unchanged, at a loss of ln 10.
TEST(Run, AnOuterOptimizerFollowsWhatAsynchronousUpdatesAddUpTo) {
  Runs runs;
  const std::string job = runs.glm_job();
  const auto last_loss = [&](const std::string& rate) {
    const Finished run = runs.surety(
        {"train",
         job,
         "--out",
         runs.path(rate),
         "--set",
         "data=\"digits://?samples=600\"",
         "--set",
         "validation=\"digits://?samples=200&first=100000\"",
         "--set",
         "model={zoo: mlp, versions: [full]}",
         "--set",
         "promise.metric=validation_loss",
         "--set",
         "promise.target=1e-300",
         "--set",
         "promise.deadline=60min",
         "--set",
         "train={learning_rate: 0.05, passes_max: 10, mode: async, outer_learning_rate: " + rate +
             "}",
         "--set",
         "cluster.local=2"});
    EXPECT_EQ(run.code, kMissed) << run.output;
    double loss = 0;
    for (const auto& record : runs.journal(rate)) {
      if (record.has_pass_done()) loss = record.pass_done().metric();
    }
    return loss;
  };
  EXPECT_LT(last_loss("1"), 1.5);
  EXPECT_GT(last_loss("1e-6"), 2.2);
}

TEST(Run, SamplesInAFileAreLearnedFrom) {
  Runs runs;
  const std::string job = runs.glm_job();
  const Finished run =
      runs.surety({"train", job, "--out", runs.path("run"), "--set", "promise.target=0.05", "--set",
                   fmt::format("cluster={{local: 2, spill: {}}}", runs.path(""))});
  EXPECT_EQ(run.code, kKept) << run.output;
  const Finished refused = runs.surety({"train", job, "--out", runs.path("refused"), "--set",
                                        "cluster={local: 1, spill: /not/there}"});
  EXPECT_THAT(refused.output, HasSubstr("cluster.spill: /not/there"));
  EXPECT_FALSE(std::filesystem::exists(runs.path("refused")));
}

TEST(Run, KillNineOfTwoWorkersAndAJoinDoNotStopIt) {
  Runs runs;
  std::optional<posix::Process> run;
  std::optional<posix::Process> joiner;
  std::size_t planned = 0;
  runs.in_time(400, [&](int passes_max) {
    planned = static_cast<std::size_t>(passes_max);
    std::vector<std::string> arguments = runs.training(passes_max, {"cluster.local=4"});
    arguments.insert(arguments.end(), {"--token", "abc"});
    run = runs.start(std::move(arguments), "log");
    if (!runs.comes(*run, "3 passes", [](const Records& r) { return passes(r) >= 3; })) {
      return false;
    }
    // A worker that is silent on a busy machine joins again as the same process.
    const std::vector<pid_t> joined = workers(runs.journal("run"));
    const std::set<pid_t> processes(joined.begin(), joined.end());
    EXPECT_EQ(processes.size(), 4u);
    const std::vector<pid_t> pids(processes.begin(), processes.end());
    ::kill(pids.at(0), SIGKILL);
    const std::size_t before = passes(runs.journal("run"));
    if (!runs.comes(*run, "2 passes after the first kill",
                    [&](const Records& r) { return passes(r) > before + 1; })) {
      return false;
    }
    ::kill(pids.at(1), SIGKILL);
    if (!runs.comes(*run, "a lost worker",
                    [](const Records& r) { return fact(r, "lost") != ""; })) {
      return false;
    }
    joiner =
        runs.start({"worker", "--join", runs.address("log")}, "joiner", {{"SURETY_TOKEN", "abc"}});
    return runs.comes(*run, "the worker that joins", [&](const Records& r) {
      return std::ranges::count(workers(r), joiner->pid()) > 0;
    });
  });
  const auto status = run->wait(posix::kTestPatience);
  ASSERT_TRUE(status);
  EXPECT_EQ(status->code, kMissed) << runs.output("log");  // No model reaches 1e-300.
  expect_passes_in_order(runs.journal("run"), planned);
  EXPECT_EQ(runs.surety({"verify", runs.path("run")}).code, kKept);
}

TEST(Run, APlanGoesFromSpotToOnDemandNodes) {
  Runs runs;
  plan::Plan plan;
  plan.data = {"data-1"};
  plan.blocks = {{.version = "full", .passes = 3, .nodes = 2, .counts = {{"spot", 2}}},
                 {.version = "full", .passes = 3, .nodes = 2, .counts = {{"on-demand", 2}}}};
  plan.stop_metric = 1e-300;
  const std::vector<std::string> sets{
      "train.passes_max=1000000", "promise.target=1e-300", "promise.deadline=60min",
      "cluster={nodes: [{name: on-demand, local: 2, price: 3/s}, {name: spot, local: 2, price: "
      "1/s}]}"};
  const std::string job = runs.glm_job();
  std::vector<std::string> arguments{
      "train", job, "--plan", runs.plan_file(plan, job, sets), "--out", runs.path("run")};
  for (const std::string& set : sets) arguments.insert(arguments.end(), {"--set", set});
  posix::Process run = runs.start(arguments, "log");
  // A worker that is silent on a busy machine may join again, with another number.
  const auto both_left = [](const Records& records) {
    std::set<std::uint32_t> spot;
    std::size_t left = 0;
    for (const auto& record : records) {
      if (record.worker_joined().node_type() == "spot")
        spot.insert(record.worker_joined().worker());
      const bool leaves = record.has_worker_gone() && record.worker_gone().kind() == "leave";
      if (leaves && spot.contains(record.worker_gone().worker())) ++left;
    }
    return left == 2;
  };
  EXPECT_TRUE(runs.wait_for("both spot workers' leave", both_left, &run));
  run.send_signal(SIGINT);
  ASSERT_TRUE(run.wait(posix::kTestPatience));
  std::vector<std::string> types;  // Those of the processes, in the order in which they joined.
  std::set<std::uint32_t> known;
  for (const auto& record : runs.journal("run")) {
    if (!record.has_worker_joined() || !known.insert(record.worker_joined().pid()).second) continue;
    types.push_back(record.worker_joined().node_type());
  }
  EXPECT_THAT(types, ::testing::ElementsAre("spot", "spot", "on-demand", "on-demand"));
  EXPECT_THAT(runs.output("log"), HasSubstr("is released: training continues with 2 on-demand"));
}

// This is what happens with "surety train job.yaml | head".
TEST(Run, IsStoppedAndCanBeResumedWhereNobodyReadsItsOutputAnyMore) {
  Runs runs;
  const Finished run = runs.surety_unread(runs.training(kEndless));
  EXPECT_EQ(run.code, kInterrupted) << run.output;
  const Records records = runs.journal("run");
  EXPECT_TRUE(records.back().has_run_paused());
  for (const pid_t worker : workers(records)) {
    EXPECT_TRUE(posix::wait_until("the workers' end", [&] { return ::kill(worker, 0) != 0; }));
  }
}

TEST(Run, AWorkerThatIsAskedToStopLeavesPolitely) {
  Runs runs;
  std::optional<posix::Process> run;
  pid_t asked = 0;
  runs.in_time(300, [&](int passes_max) {
    run = runs.start(runs.training(passes_max), "log");
    if (!runs.comes(*run, "2 passes", [](const Records& r) { return passes(r) >= 2; })) {
      return false;
    }
    asked = workers(runs.journal("run")).at(1);
    ::kill(asked, SIGTERM);
    return runs.comes(*run, "a worker that left gracefully", [](const Records& r) {
      return fact(r, "leave") == "its chunks were handed over";
    });
  });
  ASSERT_TRUE(run->wait(posix::kTestPatience));
  EXPECT_NE(kind_of_leave(runs.journal("run"), asked), "lost");
}

TEST(Run, KillNineInAnAsynchronousIterationLosesAndDoublesNoSample) {
  Runs runs;
  std::optional<posix::Process> run;
  std::size_t planned = 0;
  runs.in_time(6, [&](int passes_max) {
    planned = static_cast<std::size_t>(passes_max);
    run = runs.start(
        runs.training(
            passes_max,
            {"data=\"digits://?samples=1500\"", "validation=\"digits://?samples=200&first=100000\"",
             "model={zoo: mlp, versions: [full]}", "promise.metric=validation_loss",
             fmt::format("train={{mode: async, local_steps: 2, passes_max: {}, "
                         "chunk_bytes: 64KiB}}",
                         passes_max)}),
        "log");
    if (!runs.comes(*run, "2 passes", [](const Records& r) { return passes(r) >= 2; })) {
      return false;
    }
    // The worker that schedules the updates.
    ::kill(workers(runs.journal("run")).front(), SIGKILL);
    return runs.comes(*run, "a lost worker",
                      [](const Records& r) { return fact(r, "lost") != ""; });
  });
  const auto status = run->wait(posix::kTestPatience);
  ASSERT_TRUE(status);
  EXPECT_EQ(status->code, kMissed) << runs.output("log");
  for (const auto& record : runs.journal("run")) {
    if (record.has_pass_done()) EXPECT_EQ(record.pass_done().samples(), 1500u);
  }
  expect_passes_in_order(runs.journal("run"), planned);
  EXPECT_EQ(runs.surety({"verify", runs.path("run")}).code, kKept);
}

TEST(Run, AFullDiskStopsItAndNothingIsLost) {
  Runs runs;
  const std::string job = runs.glm_job();
  const std::string disk = runs.path("disk");
  std::filesystem::create_directories(disk);
  if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=128k") != 0) {
    GTEST_SKIP() << "cannot mount a small disk here";
  }
  const Finished full = runs.surety({"train", job, "--out", disk + "/run", "--set",
                                     "train.passes_max=200", "--set", "promise.target=1e-300"});
  EXPECT_EQ(full.code, kFailed) << full.output;
  EXPECT_THAT(full.output, HasSubstr("No space left"));
  ASSERT_EQ(::mount("tmpfs", disk.c_str(), "tmpfs", MS_REMOUNT, "size=64m"), 0);
  const Finished resumed = runs.surety({"train", "--resume", "--out", disk + "/run"});
  EXPECT_EQ(resumed.code, kMissed) << resumed.output;
  EXPECT_EQ(runs.surety({"verify", disk + "/run"}).code, kKept);
  ::umount(disk.c_str());
}

TEST(Run, APortInUseIsRefusedBeforeAnythingStarts) {
  Runs runs;
  posix::Process first = runs.start(runs.training(kEndless), "log");
  ASSERT_TRUE(runs.wait_for_passes(1));
  const std::string taken = runs.address("log");
  const Finished second = runs.surety({"train", runs.path("job.yaml"), "--out", runs.path("second"),
                                       "--set", "cluster.listen=" + taken});
  EXPECT_EQ(second.code, kUsage) << second.output;
  EXPECT_THAT(second.output, HasSubstr(taken));
  EXPECT_FALSE(std::filesystem::exists(runs.path("second")));
}

TEST(Run, AWorkerWithoutTheTokenIsRefused) {
  Runs runs;
  std::vector<std::string> arguments = runs.training(kEndless);
  arguments.insert(arguments.end(), {"--token", "right"});
  posix::Process run = runs.start(std::move(arguments), "log");
  ASSERT_TRUE(runs.wait_for_passes(1));
  const std::string address = runs.address("log");
  const Finished intruder = runs.surety({"worker", "--join", address, "--token", "wrong"});
  EXPECT_EQ(intruder.code, kUsage) << intruder.output;
  EXPECT_THAT(intruder.output, HasSubstr("token"));
  const Finished alien =
      runs.surety({"worker", "--join", address, "--token", "right", "--type", "moon"});
  EXPECT_EQ(alien.code, kUsage) << alien.output;
  EXPECT_THAT(alien.output, HasSubstr("no node type moon; its types are local"));
  const std::vector<pid_t> joined = workers(runs.journal("run"));
  EXPECT_EQ(std::set<pid_t>(joined.begin(), joined.end()).size(), 3u);
}

TEST(Run, BadInputIsRefusedBeforeAnythingIsWritten) {
  Runs runs;
  const std::string job = runs.glm_job();
  const std::map<std::string, std::string> bad{
      {"promise.targe=1", "did you mean target"},
      {"promise.deadline=20", "duration"},
      {"promise.probability=1", "between 0 and 1"},
      {"data=libsvm:///nowhere.svm", "nowhere.svm"},
      {"cluster.local=0", "without workers nothing is trained"},
      {"promise.deadline=2020-01-01T00:00:00Z", "passed"}};
  for (const auto& [set, message] : bad) {
    const Finished run = runs.surety({"run", job, "--out", runs.path("bad"), "--set", set});
    EXPECT_EQ(run.code, kUsage) << set << "\n" << run.output;
    EXPECT_THAT(run.output, HasSubstr(message)) << set;
    EXPECT_FALSE(std::filesystem::exists(runs.path("bad"))) << set;
  }
}

TEST(Run, ATamperedCertificateDoesNotVerify) {
  Runs runs;
  const std::string job = runs.glm_job();
  runs.surety({"train", job, "--out", runs.path("run"), "--set", "train.passes_max=3"});
  EXPECT_EQ(runs.surety({"verify", runs.path("run")}).code, kKept);
  std::filesystem::resize_file(runs.path("run") + "/certificate.json", 100);
  EXPECT_EQ(runs.surety({"verify", runs.path("run")}).code, kFailed);
}

TEST(Run, TheFrontDoorDoesNotLoadLibtorch) {
  Runs runs;
  const Finished help = runs.surety({"--help"});
  EXPECT_EQ(help.code, 0);
  const auto program = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "bin/surety";
  std::string bytes(std::filesystem::file_size(program), '\0');
  std::ifstream(program, std::ios::binary)
      .read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  ASSERT_NE(bytes.find("libgrpc"), std::string::npos);
  EXPECT_EQ(bytes.find("libtorch"), std::string::npos);
}

TEST(Run, EveryCommandShowsAnExample) {
  Runs runs;
  for (const char* command :
       {"run", "profile", "plan", "train", "predict", "worker", "status", "verify"}) {
    const Finished help = runs.surety({command, "--help"});
    EXPECT_EQ(help.code, 0);
    EXPECT_THAT(help.output, HasSubstr("surety " + std::string(command))) << command;
    EXPECT_THAT(help.output, HasSubstr("--json")) << command;
  }
}

// The generator would need hours for these samples.
TEST(Run, ASignalWhileDataAreReadEndsTheCommandAtOnceAndLeavesNothing) {
  Runs runs;
  posix::Process run =
      runs.start({"train", runs.glm_job(), "--out", runs.path("run"), "--set",
                  "data=\"synthetic://?samples=1000000000&features=2000&nonzeros=1000\""},
                 "log");
  ASSERT_TRUE(runs.wait_for_output("log", "reading data set", 1, &run));
  run.send_signal(SIGTERM);
  const auto status = run.wait(posix::kTestPatience);
  ASSERT_TRUE(status);
  EXPECT_EQ(status->code, kInterrupted);
  EXPECT_THAT(runs.output("log"), HasSubstr("stopped: the run had not begun; begin it again"));
  EXPECT_FALSE(std::filesystem::exists(runs.path("run")));
}

}  // namespace run_posix_test
}  // namespace surety::cli
