#include "runtime/coordinator/process_launcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace surety::runtime {
namespace process_launcher_test {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

ProcessLauncherOptions options() {
  return {.program = "/bin/surety-worker",
          .join = "unix:/tmp/control",
          .token = "secret",
          .folder = "/runs/a",
          .wait = std::chrono::seconds(3),
          .threads = 2};
}

ProcessLauncherOptions slurm_options() {
  ProcessLauncherOptions options = process_launcher_test::options();
  options.is_surety = true;
  options.slurm = SlurmJob{.id = "42", .nodes = {"w1"}};
  options.slurm_spec.notice_s = 30;
  return options;
}

TEST(WorkerProcess, OnThisMachineItIsToldItsThreadsAndItsRunFindsItAgain) {
  const posix::ProcessOptions process = worker_process(options(), "local", std::nullopt, 7);
  EXPECT_THAT(process.argv, ElementsAre("/bin/surety-worker", "--join", "unix:/tmp/control",
                                        "--type", "local", "--threads", "2", "--wait", "3000ms"));
  EXPECT_THAT(process.environment, Contains(Pair("SURETY_RUN", "/runs/a")));
  EXPECT_THAT(process.environment, Contains(Pair("SURETY_LAUNCH", "7")));
  EXPECT_THAT(process.environment, Contains(Pair("SURETY_TYPE", "local")));
  EXPECT_EQ(process.output, "/runs/a/logs/worker-7.log");
  EXPECT_FALSE(process.dies_with_parent);
}

TEST(WorkerProcess, OnANodeOfAnAllocationItIsAStepOfTheSlurmJobAndEndsWithTheCoordinator) {
  const posix::ProcessOptions process = worker_process(slurm_options(), "slurm", "w1", 7);
  ASSERT_FALSE(process.argv.empty());
  EXPECT_EQ(process.argv.front(), "srun");
  EXPECT_THAT(process.argv, Contains("--nodelist=w1"));
  const std::vector<std::string> end(process.argv.end() - 10, process.argv.end());
  EXPECT_THAT(end, ElementsAre("/bin/surety-worker", "worker", "--join", "unix:/tmp/control",
                               "--type", "slurm", "--listen", "auto", "--notice", "30000ms"));
  EXPECT_TRUE(process.dies_with_parent);
}

TEST(WorkerProcess, TheTokenIsInTheEnvironmentAndNotInTheArgumentsWhichAnyUserCanList) {
  const posix::ProcessOptions here = worker_process(options(), "local", std::nullopt, 1);
  const posix::ProcessOptions there = worker_process(slurm_options(), "slurm", "w1", 1);
  for (const posix::ProcessOptions& process : {here, there}) {
    EXPECT_THAT(process.environment, Contains(Pair("SURETY_TOKEN", "secret")));
    EXPECT_THAT(process.argv, Not(Contains(HasSubstr("secret"))));
  }
}

TEST(WorkerProcess, ItIsToldWhereItKeepsSamples) {
  ProcessLauncherOptions more = options();
  more.spill = "/scratch";
  const posix::ProcessOptions process = worker_process(more, "local", std::nullopt, 1);
  EXPECT_THAT(process.argv, ::testing::IsSupersetOf({"--spill", "/scratch"}));
}

}  // namespace process_launcher_test
}  // namespace surety::runtime
