// A standby takes over a run whose coordinator is lost, with real processes and a real etcd.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <set>

#include "base/posix/clock.h"
#include "cli/commands/commands.h"
#include "cli/commands/runs_test.h"
#include "cli/exit_codes.h"
#include "runtime/etcd/etcd_testing.h"

namespace surety::cli {
namespace standby_posix_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::uint32_t> terms(const Records& records) {
  std::vector<std::uint32_t> terms;
  for (const auto& record : records) {
    if (record.has_run_began()) terms.push_back(1);
    if (record.has_run_resumed()) terms.push_back(record.run_resumed().term());
  }
  return terms;
}

// Process ids of the workers that joined, for each coordinator.
std::vector<std::set<pid_t>> workers_of_each(const Records& records) {
  std::vector<std::set<pid_t>> workers;
  for (const auto& record : records) {
    if (record.has_run_began() || record.has_run_resumed()) workers.emplace_back();
    if (record.has_worker_joined()) {
      workers.back().insert(static_cast<pid_t>(record.worker_joined().pid()));
    }
  }
  return workers;
}

// A line for each coordinator, and for each worker that joined or left.
std::string comings_and_goings(const Records& records) {
  std::string text;
  for (const auto& record : records) {
    if (record.has_run_began()) text += "coordinator 1\n";
    if (record.has_run_resumed())
      text += fmt::format("coordinator {}\n", record.run_resumed().term());
    if (record.has_worker_joined()) {
      text += fmt::format("{:.3f}s  worker {} joined, pid {}\n", record.run_s(),
                          record.worker_joined().worker(), record.worker_joined().pid());
    }
    if (record.has_worker_gone()) {
      text +=
          fmt::format("{:.3f}s  worker {} {}: {}\n", record.run_s(), record.worker_gone().worker(),
                      record.worker_gone().kind(), record.worker_gone().reason());
    }
  }
  return text;
}

// Prints the times from the kill to the next coordinator's first record, and to the end of its
// first pass.
void print_hand_over(const Records& records, double killed_unix_s) {
  const double killed_s = killed_unix_s - records.front().run_began().started_unix_s();
  double resumed_s = 0;
  double pass_s = 0;
  for (const auto& record : records) {
    if (record.has_run_resumed()) resumed_s = record.run_s(), pass_s = 0;
    if (record.has_pass_done() && pass_s == 0) pass_s = record.run_s();
  }
  fmt::print("hand-over: led after {:.2f}s, first pass done after {:.2f}s\n", resumed_s - killed_s,
             pass_s - killed_s);
}

class Standby : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(etcd_.is_up()) << etcd_.log(); }

  // Starts a run whose workers are three processes. Each leader trains once all three have joined
  // (workers_min), however late they connect. The lease is long enough that a coordinator that
  // waits some seconds for a CPU core, or for etcd, keeps it. No worker is cut off for being late,
  // because on a busy machine a pass would then lack some of the rows.
  posix::Process train(const std::string& name, int passes_max = kEndless,
                       const std::string& lease = "20s") {
    return runs_.start(
        runs_.training(passes_max, {fmt::format("coordinator={{standby: on, etcd: [\"{}\"], "
                                                "lease: {}}}",
                                                etcd_.address(), lease),
                                    "cluster.workers_min=3", "train.policies.cut_off=off"}),
        name);
  }
  posix::Process stand_by(const std::string& name) {
    posix::Process standby = runs_.start({"standby", runs_.path("run")}, name);
    EXPECT_TRUE(runs_.wait_for_output(name, "standing by for", 1, &standby));
    return standby;
  }
  // For Runs::in_time(): returns nothing if the run ended before the standby was ready.
  std::optional<posix::Process> stand_by_in_time(posix::Process& leader, const std::string& name) {
    posix::Process standby = runs_.start({"standby", runs_.path("run")}, name);
    const auto stands_by = posix::wait_until(
        {.what = "a standby",
         .holds = [&] { return runs_.output(name).find("standing by for") != std::string::npos; },
         .is_impossible = [&] { return leader.poll() || standby.poll(); },
         .log = [&] { return runs_.output(name); }});
    if (stands_by) return standby;
    EXPECT_TRUE(leader.wait(posix::kTestPatience)) << stands_by.message();
    EXPECT_TRUE(has_ended(runs_.journal("run"))) << stands_by.message();
    return std::nullopt;
  }

  // Training continues under the coordinator of that term. If `leader` is named, it must be that
  // coordinator.
  ::testing::AssertionResult continues(std::uint32_t term, posix::Process* leader = nullptr) {
    return runs_.wait_for(
        fmt::format("2 passes of coordinator {}", term),
        [=](const Records& r) {
          std::size_t since = 0;
          for (auto record = r.rbegin(); record != r.rend() && !record->has_run_resumed();
               ++record) {
            since += record->has_pass_done() ? 1 : 0;
          }
          return terms(r).size() == term && since >= 2;
        },
        leader);
  }
  int code_of(posix::Process& process) {
    const auto status = process.wait(posix::kTestPatience);
    return status ? status->code : -1;
  }

  // The three workers that were started trained for both coordinators. A worker that is stopped for
  // a second is called lost. It joins again, and another one may have been started in its place.
  void expect_same_workers() {
    const Records records = runs_.journal("run");
    std::set<pid_t> all;
    for (const std::set<pid_t>& some : workers_of_each(records)) {
      EXPECT_GE(some.size(), 3u);
      all.insert(some.begin(), some.end());
    }
    EXPECT_LE(all.size(), 3 + gone(records, "lost")) << comings_and_goings(records);
    std::size_t kept = 0;
    for (std::size_t worker = 1; worker <= all.size(); ++worker) {
      const std::string log = runs_.output(fmt::format("run/logs/worker-{}.log", worker));
      kept += log.find("of coordinator 2 now; ") != std::string::npos &&
                      log.find("chunks are still here") != std::string::npos
                  ? 1
                  : 0;
    }
    EXPECT_GE(kept, 3u) << comings_and_goings(records);
  }

  // Every pass learned from every row once. Passes are consecutive; after a hand-over they continue
  // from the pass of a checkpoint.
  void expect_nothing_lost_or_doubled() {
    std::uint32_t last = 0;
    std::uint32_t kept = 0;
    for (const auto& record : runs_.journal("run")) {
      if (record.has_checkpoint_committed()) kept = record.checkpoint_committed().pass();
      if (record.has_run_resumed()) last = kept;
      if (!record.has_pass_done()) continue;
      EXPECT_EQ(record.pass_done().samples(), 3000u);
      EXPECT_EQ(record.pass_done().pass(), last + 1);
      last = record.pass_done().pass();
    }
  }

  Runs runs_;
  runtime::EtcdForTest etcd_;
};

TEST_F(Standby, TakesAKilledCoordinatorsRunOverWithTheSameWorkers) {
  std::optional<posix::Process> standby;
  double killed_unix_s = 0;
  runs_.in_time(200, [&](int passes_max) {
    posix::Process leader = train("leader", passes_max);
    if (!runs_.comes(leader, "20 passes", [](const Records& r) { return passes(r) >= 20; })) {
      return false;
    }
    standby = stand_by_in_time(leader, "standby");
    killed_unix_s = posix::unix_seconds();
    if (standby && runs_.kill(leader)) return true;
    standby.reset();  // The standby must end before the folder is emptied.
    return false;
  });
  ASSERT_TRUE(standby);
  EXPECT_EQ(code_of(*standby), kMissed) << runs_.output("standby");
  const Records records = runs_.journal("run");
  print_hand_over(records, killed_unix_s);
  EXPECT_THAT(terms(records), ElementsAre(1, 2));
  expect_same_workers();
  EXPECT_THAT(runs_.output("standby"), HasSubstr("coordinator 1 is lost"));
  expect_nothing_lost_or_doubled();
  EXPECT_EQ(runs_.surety({"verify", runs_.path("run")}).code, kKept);
}

TEST_F(Standby, ACoordinatorThatWasOnlyStoppedDoesNoHarmWhenItWakes) {
  posix::Process leader = train("leader");
  ASSERT_TRUE(runs_.wait_for_passes(20, &leader));
  posix::Process standby = stand_by("standby");
  leader.send_signal(SIGSTOP);
  ASSERT_TRUE(continues(2, &standby)) << runs_.output("standby");
  leader.send_signal(SIGCONT);
  // The coordinator ends, because another one leads. If an answer of etcd is late during its search
  // for the leader, it cannot distinguish its own stop from a loss of etcd, and stands by.
  ASSERT_TRUE(runs_.wait_for_output("leader", "leads " + runs_.path("run"), 1, &leader));
  if (runs_.output("leader").find("standing by for") != std::string::npos) {
    leader.send_signal(SIGINT);
    EXPECT_EQ(code_of(leader), kInterrupted) << runs_.output("leader");
  } else {
    EXPECT_EQ(code_of(leader), kTakenOver) << runs_.output("leader");
    EXPECT_THAT(runs_.output("leader"), HasSubstr("leads " + runs_.path("run") + " now"));
  }
  const std::size_t then = passes(runs_.journal("run"));
  ASSERT_TRUE(runs_.wait_for_passes(then + 1, &standby));
  standby.send_signal(SIGINT);
  EXPECT_EQ(code_of(standby), kInterrupted) << runs_.output("standby");
  const Records records = runs_.journal("run");
  EXPECT_THAT(terms(records), ElementsAre(1, 2));
  expect_same_workers();
  expect_nothing_lost_or_doubled();
}

TEST_F(Standby, EndsAsItsCoordinatorDoes) {
  std::optional<posix::Process> leader;
  std::optional<posix::Process> standby;
  runs_.in_time(150, [&](int passes_max) {
    leader = train("leader", passes_max);
    if (!runs_.comes(*leader, "2 passes", [](const Records& r) { return passes(r) >= 2; })) {
      return false;
    }
    standby = stand_by_in_time(*leader, "standby");
    return standby.has_value();
  });
  ASSERT_TRUE(standby);
  EXPECT_THAT(runs_.output("standby"),
              HasSubstr(fmt::format("(pid {}), which leads {}", leader->pid(), runs_.path("run"))));
  EXPECT_EQ(code_of(*leader), kMissed);
  EXPECT_EQ(code_of(*standby), kMissed) << runs_.output("standby");
  EXPECT_THAT(runs_.output("standby"),
              HasSubstr("No promise was stated, and the target was missed"));
  EXPECT_THAT(terms(runs_.journal("run")), ElementsAre(1));
  // A standby that comes later reads from the journal that the run has ended.
  EXPECT_EQ(runs_.surety({"standby", runs_.path("run")}).code, kMissed);
}

TEST_F(Standby, ARunThatIsStoppedIsNotTakenOverAndCanBeResumed) {
  posix::Process leader = train("leader");
  ASSERT_TRUE(runs_.wait_for_passes(2, &leader));
  posix::Process standby = stand_by("standby");
  const Finished second = runs_.surety({"train", "--resume", "--out", runs_.path("run")});
  EXPECT_EQ(second.code, kUsage) << second.output;
  EXPECT_THAT(second.output, HasSubstr("a run has only one coordinator"));
  leader.send_signal(SIGINT);
  EXPECT_EQ(code_of(leader), kInterrupted) << runs_.output("leader");
  EXPECT_EQ(code_of(standby), kInterrupted) << runs_.output("standby");
  posix::Process resumed =
      runs_.start({"train", "--resume", "--out", runs_.path("run")}, "resumed");
  ASSERT_TRUE(continues(2, &resumed)) << runs_.output("resumed");
  resumed.send_signal(SIGINT);
  EXPECT_EQ(code_of(resumed), kInterrupted);
  expect_nothing_lost_or_doubled();
}

TEST_F(Standby, WithoutEtcdEverybodyWaitsAndOneGoesOnWhenItIsBack) {
  // The test takes two leases: the leader stops after the first one, and then etcd counts the lease
  // again.
  posix::Process leader = train("leader", kEndless, "12s");
  ASSERT_TRUE(runs_.wait_for_passes(2, &leader));
  posix::Process standby = stand_by("standby");
  etcd_.kill();
  ASSERT_TRUE(runs_.wait_for_output("leader", "this coordinator has stopped, and its workers wait",
                                    1, &leader));
  ASSERT_TRUE(
      runs_.wait_for_output("standby", "no coordinator takes over without etcd", 1, &standby));
  const Records waiting = runs_.journal("run");
  EXPECT_THAT(terms(waiting), ElementsAre(1));
  etcd_.start();
  ASSERT_TRUE(continues(2)) << runs_.output("leader") << runs_.output("standby");
  leader.send_signal(SIGINT);  // One of the two has ended or stands by.
  standby.send_signal(SIGINT);
  code_of(leader);
  code_of(standby);
  EXPECT_THAT(terms(runs_.journal("run")), ElementsAre(1, 2));
  expect_same_workers();
  expect_nothing_lost_or_doubled();
}

TEST_F(Standby, WhatCannotStandByIsRefused) {
  const Finished nowhere = runs_.surety({"standby", runs_.path("nowhere")});
  EXPECT_EQ(nowhere.code, kUsage);
  EXPECT_THAT(nowhere.output, HasSubstr("found no run in this folder"));
  const Finished away = runs_.surety({"train", runs_.glm_job(), "--out", runs_.path("away"),
                                      "--set", "coordinator={standby: on, etcd: [\"127.0.0.1:1\"]}",
                                      "--set", "train.passes_max=3"});
  EXPECT_EQ(away.code, kUsage);
  EXPECT_THAT(away.output, HasSubstr("coordinator.etcd: etcd does not answer at 127.0.0.1:1"));
  EXPECT_FALSE(std::filesystem::exists(runs_.path("away")));
  posix::Process alone = runs_.start({"train", runs_.glm_job(), "--out", runs_.path("run"), "--set",
                                      "train.passes_max=3", "--set", "promise.target=1e-300"},
                                     "alone");
  EXPECT_EQ(code_of(alone), kMissed);
  const Finished none = runs_.surety({"standby", runs_.path("run")});
  EXPECT_EQ(none.code, kUsage) << none.output;
  EXPECT_THAT(none.output, HasSubstr("its job allows no standby"));
}

TEST(StandbyWithTls, TakesARunOverThroughAnEtcdThatDemandsCertificates) {
  const runtime::EtcdForTest etcd{crypto::Authority("secret")};
  ASSERT_TRUE(etcd.is_up()) << etcd.log();
  Runs runs;
  const std::string coordinator = fmt::format(
      "coordinator={{standby: on, lease: 20s, etcd: [\"{}\"], etcd_ca: {}, etcd_cert: {}, "
      "etcd_key: {}}}",
      etcd.address(), etcd.path("ca.pem"), etcd.path("client.pem"), etcd.path("client.key"));
  posix::Process leader = runs.start(runs.training(kEndless, {coordinator}), "leader");
  ASSERT_TRUE(runs.wait_for_passes(1, &leader));
  posix::Process standby = runs.start({"standby", runs.path("run")}, "standby");
  ASSERT_TRUE(runs.wait_for_output("standby", "standing by for", 1, &standby));
  leader.send_signal(SIGKILL);
  EXPECT_TRUE(runs.wait_for(
      "the standby leads",
      [](const Records& records) {
        return std::ranges::any_of(records, &proto::JournalRecord::has_run_resumed);
      },
      &standby));
}

TEST(StandbyWithTls, AFileWithoutACertificateIsRefused) {
  Runs runs;
  std::ofstream(runs.path("empty.pem")) << "";
  const std::string coordinator =
      fmt::format("coordinator={{standby: on, etcd_ca: {0}, etcd_cert: {0}, etcd_key: {0}}}",
                  runs.path("empty.pem"));
  const Finished refused = runs.surety(runs.training(1, {coordinator}));
  EXPECT_EQ(refused.code, kUsage) << refused.output;
  EXPECT_THAT(refused.output, ::testing::HasSubstr("empty.pem: found no certificate"));
}

}  // namespace standby_posix_test
}  // namespace surety::cli
