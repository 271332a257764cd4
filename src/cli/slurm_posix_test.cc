// Runs inside a Slurm allocation. Stand-ins for Slurm's commands start workers on this machine. The
// tests show what we ask Slurm for, and how we use its nodes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>

#include "cli/commands.h"
#include "cli/runs_test.h"

namespace surety::cli {
namespace slurm_posix_test {

using ::testing::HasSubstr;
using ::testing::Not;

std::size_t gone(const Records& records, const std::string& kind) {
  return static_cast<std::size_t>(
      std::count_if(records.begin(), records.end(), [&](const auto& record) {
        return record.has_worker_gone() && record.worker_gone().kind() == kind;
      }));
}

class StandInSlurm {
 public:
  explicit StandInSlurm(const Runs& runs) : runs_(runs) {
    std::filesystem::create_directories(runs.path("bin"));
    program("squeue", "cat " + runs.path("nodes") + "; echo >> " + runs.path("looks"));
    program("scontrol", "echo NodeName=w1 Arch=x86_64 NodeAddr=127.0.0.1 NodeHostName=here");
    program("srun", "echo \"$@\" >> " + runs.path("steps") +
                        "\nwhile [ \"${1#--}\" != \"$1\" ]; do shift; done\nexec \"$@\"");
    nodes("w[1-2]");
  }

  // Sets the nodes that the allocation has from now on.
  void nodes(const std::string& list) const {
    std::ofstream(runs_.path("new")) << list << "\n";
    std::filesystem::rename(runs_.path("new"), runs_.path("nodes"));
  }
  std::map<std::string, std::string> environment() const {
    return {{"PATH", runs_.path("bin") + ":" + std::getenv("PATH")},
            {"SLURM_JOB_ID", "42"},
            {"SLURM_JOB_NODELIST", "w[1-2]"},
            {"SLURMD_NODENAME", "w1"}};
  }
  std::size_t looks() const {
    std::error_code none_yet;
    const auto size = std::filesystem::file_size(runs_.path("looks"), none_yet);
    return none_yet ? 0 : size;
  }
  // The number of workers that were started on that node.
  std::size_t steps_on(const std::string& node) const {
    std::ifstream steps(runs_.path("steps"));
    std::size_t count = 0;
    for (std::string line; std::getline(steps, line);) {
      count += line.find("--nodelist=" + node + " ") != std::string::npos ? 1 : 0;
    }
    return count;
  }

 private:
  void program(const std::string& name, const std::string& script) const {
    const std::string path = runs_.path("bin/" + name);
    std::ofstream(path) << "#!/bin/sh\n" << script << "\n";
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }
  const Runs& runs_;
};

std::vector<std::string> endless(Runs& runs) {
  return runs.training(kEndless, {"cluster={slurm: {look: 200ms}}"});
}

TEST(Slurm, WorkersComeAndGoWithTheAllocation) {
  Runs runs;
  const StandInSlurm slurm(runs);
  const auto are_there = [&](std::size_t count) {
    return runs.wait_for(fmt::format("{} workers", count),
                         [=](const Records& r) { return workers(r).size() == count; });
  };
  posix::Process run = runs.start(endless(runs), "log", slurm.environment());
  ASSERT_TRUE(runs.wait_for_passes(1));
  EXPECT_EQ(workers(runs.journal("run")).size(), 2u);
  slurm.nodes("w[1-3]");
  ASSERT_TRUE(are_there(3));
  EXPECT_EQ(slurm.steps_on("w1"), 1u);
  EXPECT_EQ(slurm.steps_on("w2"), 1u);
  EXPECT_EQ(slurm.steps_on("w3"), 1u);
  EXPECT_THAT(runs.output("log"), HasSubstr("starting 1 slurm: there are nodes for them"));
  // Slurm takes a node back. It gives notice first, the worker hands over its chunks, and no other
  // worker replaces it.
  ::kill(workers(runs.journal("run"))[2], SIGTERM);
  ASSERT_TRUE(runs.wait_for("a leave", [](const Records& r) { return gone(r, "leave") == 1; }));
  ASSERT_TRUE(runs.wait_for_output("log", "the allocation has 2 usable nodes"));
  slurm.nodes("w[1-2]");
  // One poll may have begun before this point; the second one has not.
  const std::size_t before = slurm.looks();
  ASSERT_TRUE(posix::wait_until("three looks at the allocation",
                                [&] { return slurm.looks() > before + 2; }));
  EXPECT_EQ(workers(runs.journal("run")).size(), 3u);
  // The node comes back, and a worker starts on it.
  slurm.nodes("w[1-3]");
  ASSERT_TRUE(are_there(4));
  run.send_signal(SIGINT);
  const auto status = run.wait(posix::kTestPatience);
  ASSERT_TRUE(status);
  EXPECT_EQ(status->code, kInterrupted) << runs.output("log");
  EXPECT_EQ(gone(runs.journal("run"), "lost"), 0u);
}

TEST(Slurm, AnAllocationThatEndsLeavesARunForTheNext) {
  Runs runs;
  const StandInSlurm slurm(runs);
  posix::Process run = runs.start(endless(runs), "log", slurm.environment());
  ASSERT_TRUE(runs.wait_for_passes(2));
  for (const pid_t worker : workers(runs.journal("run"))) ::kill(worker, SIGTERM);
  const auto status = run.wait(posix::kTestPatience);
  ASSERT_TRUE(status);
  EXPECT_EQ(status->code, kInterrupted) << runs.output("log");
  EXPECT_THAT(runs.output("log"), HasSubstr("every node of the allocation was told to stop"));
  const std::size_t before = passes(runs.journal("run"));
  posix::Process again =
      runs.start({"train", "--resume", "--out", runs.path("run")}, "log", slurm.environment());
  ASSERT_TRUE(runs.wait_for_passes(before + 1));
  again.send_signal(SIGINT);
  ASSERT_TRUE(again.wait(posix::kTestPatience));
}

TEST(Slurm, WhatDoesNotFitTheAllocationIsRefusedBeforeAnythingStarts) {
  Runs runs;
  const StandInSlurm slurm(runs);
  const std::string job = runs.glm_job();
  const auto refused = [&](const std::string& set, std::map<std::string, std::string> environment) {
    std::filesystem::remove(runs.path("log"));
    posix::Process run = runs.start(
        {"train", job, "--out", runs.path("run"), "--set", "cluster={slurm: {}}", "--set", set},
        "log", std::move(environment));
    const auto status = run.wait(posix::kTestPatience);
    EXPECT_TRUE(status && status->code == kUsage) << runs.output("log");
    EXPECT_FALSE(std::filesystem::exists(runs.path("run")));
    return runs.output("log");
  };
  EXPECT_THAT(refused("name=x", {{"SLURM_JOB_ID", ""}}), HasSubstr("found no allocation"));
  EXPECT_THAT(refused("profile.workers=[3]", slurm.environment()),
              HasSubstr("profile.workers: found 3, expected at most 2"));
  EXPECT_THAT(refused("cluster={slurm: {}, workers_min: 5}", slurm.environment()),
              HasSubstr("cluster.workers_min: found 5, expected at most 2"));
  EXPECT_THAT(refused("cluster={slurm: {}, local: 3}", slurm.environment()),
              HasSubstr("cluster.local: found 3, expected nothing beside cluster.slurm"));
  EXPECT_THAT(refused("cluster={slurm: {look: 0s}}", slurm.environment()),
              HasSubstr("cluster.slurm.look: found 0s, expected a duration above 0"));
}

}  // namespace slurm_posix_test
}  // namespace surety::cli
