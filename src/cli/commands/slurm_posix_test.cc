// Runs inside a Slurm allocation. Stand-ins for Slurm's commands start workers on this machine. The
// tests show what we ask Slurm for, and how we use its nodes.
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <set>

#include "cli/commands/commands.h"
#include "cli/commands/runs_test.h"
#include "cli/exit_codes.h"

namespace surety::cli {
namespace slurm_posix_test {

using ::testing::HasSubstr;
using ::testing::Not;

bool has_joined(const Records& records, pid_t worker) {
  return std::ranges::count(workers(records), worker) > 0;
}

// Whether the worker has joined, and has left since it joined last.
bool has_gone(const Records& records, pid_t worker) {
  std::optional<std::uint32_t> number;
  bool is_gone = false;
  for (const auto& record : records) {
    if (record.has_worker_joined() && record.worker_joined().pid() == std::uint32_t(worker)) {
      number = record.worker_joined().worker();
      is_gone = false;
    }
    if (record.has_worker_gone()) is_gone |= record.worker_gone().worker() == number;
  }
  return is_gone;
}

class StandInSlurm {
 public:
  explicit StandInSlurm(const Runs& runs) : runs_(runs) {
    std::filesystem::create_directories(runs.path("bin"));
    program("squeue", "cat " + runs.path("nodes") + "; echo >> " + runs.path("looks"));
    program("scontrol", "echo NodeName=w1 Arch=x86_64 NodeAddr=127.0.0.1 NodeHostName=here");
    program("srun", "echo $$ \"$@\" >> " + runs.path("steps") +
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
  std::size_t polls() const {
    std::error_code none_yet;
    const auto size = std::filesystem::file_size(runs_.path("looks"), none_yet);
    return none_yet ? 0 : size;
  }
  // Process ids of the workers that were started on that node.
  std::vector<pid_t> workers_on(const std::string& node) const {
    std::ifstream steps(runs_.path("steps"));
    std::vector<pid_t> pids;
    for (std::string line; std::getline(steps, line);) {
      if (line.find("--nodelist=" + node + " ") == std::string::npos) continue;
      pids.push_back(std::stoi(line));
    }
    return pids;
  }
  // Waits until the last worker that was started on each of these nodes has joined.
  ::testing::AssertionResult have_joined(const std::vector<std::string>& nodes,
                                         posix::Process& run) const {
    return runs_.wait_for(
        "the workers of " + fmt::format("{}", fmt::join(nodes, ", ")),
        [&](const Records& records) {
          return std::ranges::all_of(nodes, [&](const std::string& node) {
            const std::vector<pid_t> pids = workers_on(node);
            return !pids.empty() && has_joined(records, pids.back());
          });
        },
        &run);
  }
  // Slurm takes these nodes back: their workers get notice, each once. A worker that has not joined
  // gets none, because it would have nothing to hand over.
  void take_back(const std::vector<std::string>& nodes) {
    const Records records = runs_.journal("run");
    for (const std::string& node : nodes) {
      for (const pid_t worker : workers_on(node)) {
        if (!has_joined(records, worker) || !notified_.insert(worker).second) continue;
        ::kill(worker, SIGTERM);
      }
    }
  }

 private:
  void program(const std::string& name, const std::string& script) const {
    const std::string path = runs_.path("bin/" + name);
    std::ofstream(path) << "#!/bin/sh\n" << script << "\n";
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }
  const Runs& runs_;
  std::set<pid_t> notified_;  // Workers that got notice.
};

std::vector<std::string> endless(Runs& runs) {
  return runs.training(kEndless, {"cluster={slurm: {poll: 200ms}}"});
}

TEST(Slurm, WorkersComeAndGoWithTheAllocation) {
  Runs runs;
  StandInSlurm slurm(runs);
  posix::Process run = runs.start(endless(runs), "log", slurm.environment());
  ASSERT_TRUE(runs.wait_for_passes(1, &run));
  ASSERT_TRUE(slurm.have_joined({"w1", "w2"}, run));
  EXPECT_TRUE(slurm.workers_on("w3").empty());
  slurm.nodes("w[1-3]");
  ASSERT_TRUE(slurm.have_joined({"w1", "w2", "w3"}, run));
  // A node has one worker, and another one only if that worker was silent on a busy machine.
  const auto expect_one_worker_on = [&](const std::string& node) {
    const std::size_t started = slurm.workers_on(node).size();
    EXPECT_GE(started, 1u);
    EXPECT_LE(started, 1 + silent(runs.journal("run")));
  };
  for (const char* node : {"w1", "w2", "w3"}) expect_one_worker_on(node);
  EXPECT_THAT(runs.output("log"), HasSubstr("because a node is available for it"));
  // Slurm takes a node back. It gives notice first, the worker hands over its chunks, and no other
  // worker replaces it.
  ASSERT_TRUE(runs.wait_for(
      "the leave of the worker on w3",
      [&](const Records& records) {
        slurm.take_back({"w3"});
        return has_gone(records, slurm.workers_on("w3").back());
      },
      &run));
  // A worker that is declared lost at that moment ends without a message.
  if (gone(runs.journal("run"), "leave") > 0) {
    ASSERT_TRUE(runs.wait_for_output("log", "the allocation has 2 usable nodes", 1, &run));
  }
  slurm.nodes("w[1-2]");
  // One poll may have begun before this point; the second one has not.
  const std::size_t before = slurm.polls();
  ASSERT_TRUE(posix::wait_until("three looks at the allocation",
                                [&] { return slurm.polls() > before + 2; }));
  expect_one_worker_on("w3");
  // The node comes back, and a worker starts on it.
  const std::size_t earlier = slurm.workers_on("w3").size();
  slurm.nodes("w[1-3]");
  ASSERT_TRUE(posix::wait_until("another worker on w3",
                                [&] { return slurm.workers_on("w3").size() > earlier; }));
  ASSERT_TRUE(slurm.have_joined({"w3"}, run));
  run.send_signal(SIGINT);
  const auto status = run.wait(posix::kTestPatience);
  ASSERT_TRUE(status);
  EXPECT_EQ(status->code, kInterrupted) << runs.output("log");
  const Records records = runs.journal("run");
  EXPECT_EQ(gone(records, "lost"), silent(records)) << runs.output("log");
}

TEST(Slurm, AnAllocationThatEndsLeavesARunForTheNext) {
  Runs runs;
  StandInSlurm slurm(runs);
  posix::Process run = runs.start(endless(runs), "log", slurm.environment());
  ASSERT_TRUE(runs.wait_for_passes(2, &run));
  // A worker that is declared lost at that moment ends without a message, and another one may
  // start.
  ASSERT_TRUE(posix::wait_until({.what = "the end of the run",
                                 .holds =
                                     [&] {
                                       slurm.take_back({"w1", "w2"});
                                       return run.poll().has_value();
                                     },
                                 .log = [&] { return runs.output("log"); }}));
  const auto status = run.wait(posix::kTestPatience);
  ASSERT_TRUE(status);
  EXPECT_EQ(status->code, kInterrupted) << runs.output("log");
  EXPECT_THAT(runs.output("log"),
              HasSubstr("every node of the allocation has received a notice to stop"));
  const std::size_t before = passes(runs.journal("run"));
  posix::Process again =
      runs.start({"train", "--resume", "--out", runs.path("run")}, "log", slurm.environment());
  ASSERT_TRUE(runs.wait_for_passes(before + 1, &again));
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
  EXPECT_THAT(refused("cluster={slurm: {poll: 0s}}", slurm.environment()),
              HasSubstr("cluster.slurm.poll: found 0s, expected a duration above 0"));
}

}  // namespace slurm_posix_test
}  // namespace surety::cli
