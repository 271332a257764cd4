// Runs inside allocations of a real Slurm: munged, slurmctld and four slurmd on this machine, which
// the test starts and stops. The packages are in packages.txt; without them the test fails.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <set>

#include "base/posix/cpu.h"
#include "base/posix/net/ports_testing.h"
#include "cli/commands/commands.h"
#include "cli/commands/runs_test.h"
#include "runtime/coordinator/coordinator.h"

namespace surety::cli {
namespace slurm_real_posix_test {

constexpr const char* kInstall = "scripts/setup --tests installs slurm-wlm";
constexpr const char* kControlGroups = "/sys/fs/cgroup";
constexpr int kNodes = 4;

// A cluster of four nodes, which are all this machine. Its daemons end with this object.
class SlurmCluster {
 public:
  explicit SlurmCluster(const Runs& runs) : runs_(runs) {
    std::filesystem::create_directories(path("state"));
    // munged refuses a socket in a folder that other users cannot enter.
    std::filesystem::permissions(std::filesystem::path(path("state")).parent_path(),
                                 std::filesystem::perms(0755));
    write_key();
    write_configuration();
  }

  ::testing::AssertionResult start() {
    start_daemon("munged",
                 {"/usr/sbin/munged", "--foreground", "--force", "--socket=" + path("munge.socket"),
                  "--key-file=" + path("munge.key"), "--pid-file=" + path("munged.pid"),
                  "--seed-file=" + path("munge.seed"), "--log-file=" + path("munged.log")});
    const auto listens = daemons_bring(
        "munged's socket", [&] { return std::filesystem::exists(path("munge.socket")); });
    if (!listens) return listens;
    start_daemon("slurmctld", {"/usr/sbin/slurmctld", "-D", "-c", "-f", path("slurm.conf")});
    for (int node = 1; node <= kNodes; ++node) {
      const std::string name = "w" + std::to_string(node);
      std::filesystem::create_directories(path("spool-" + name));
      start_daemon("slurmd" + std::to_string(node),
                   {"/usr/sbin/slurmd", "-D", "-N", name, "-f", path("slurm.conf")});
    }
    return daemons_bring("idle nodes", [&] { return idle_nodes() == kNodes; });
  }

  std::map<std::string, std::string> environment() const {
    return {{"SLURM_CONF", path("slurm.conf")}};
  }
  // Runs a command of Slurm to its end.
  Finished command(std::vector<std::string> argv) const {
    const std::string file = path("command-output");
    std::filesystem::remove(file);
    auto process = posix::Process::start(
        {.argv = std::move(argv), .environment = environment(), .output = file});
    if (!process) return {.output = process.error().message};
    const auto status = process->wait(posix::kTestPatience);
    return {.code = status ? status->code : -1, .output = runs_.output("command-output")};
  }
  // The number of the only job, once Slurm reports it.
  std::string job() const {
    std::string number;
    EXPECT_TRUE(posix::wait_until("the number of the job", [&] {
      const std::string text = command({"squeue", "--noheader", "--format=%i"}).output;
      number = text.substr(0, text.find_first_not_of("0123456789"));
      return !number.empty();
    })) << logs();
    return number;
  }
  // Calls scancel for the job and waits until the condition holds. Slurm may be too busy to answer,
  // so scancel is repeated until it has succeeded, but not after that: at a second signal a worker
  // leaves before it has handed over its chunks.
  ::testing::AssertionResult cancel(std::vector<std::string> arguments, posix::Process& job,
                                    const std::string& what,
                                    const std::function<bool()>& holds) const {
    arguments.insert(arguments.begin(), "scancel");
    bool is_done = false;
    return posix::wait_until({.what = what,
                              .holds =
                                  [&] {
                                    if (holds()) return true;
                                    is_done = is_done || command(arguments).code == 0;
                                    return false;
                                  },
                              .is_impossible = [&] { return job.poll().has_value(); },
                              .log = [&] { return logs(); }});
  }
  std::string logs() const {
    std::string text;
    for (const char* name : {"munged.out", "slurmctld.out", "slurmd1.out", "command-output"}) {
      text += std::string(name) + ":\n" + runs_.output(name) + "\n";
    }
    return text;
  }

 private:
  std::string path(const std::string& name) const { return runs_.path(name); }

  void write_key() const {
    const std::string key = runtime::make_token().value() + runtime::make_token().value();
    std::ofstream(path("munge.key")) << key;
    std::filesystem::permissions(path("munge.key"), std::filesystem::perms(0400));
  }

  void write_configuration() const {
    const std::string host = posix::host_name();
    const int port = ports_.first();
    std::ofstream(path("slurm.conf"))
        << "ClusterName=test\nSlurmctldHost=" << host << "(127.0.0.1)\nSlurmctldPort=" << port
        << "\nSlurmUser=root\nSlurmdUser=root\nAuthType=auth/munge\nAuthInfo=socket="
        << path("munge.socket") << "\nStateSaveLocation=" << path("state")
        << "\nSlurmdSpoolDir=" << path("spool-%n") << "\nSlurmctldPidFile=" << path("slurmctld.pid")
        << "\nSlurmdPidFile=" << path("slurmd-%n.pid")
        << "\nProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nSwitchType=switch/none\n"
           "MpiDefault=none\nSelectType=select/cons_tres\nSelectTypeParameters=CR_Core\n"
           "SlurmdParameters=config_overrides\nJobAcctGatherType=jobacct_gather/none\n"
           "AccountingStorageType=accounting_storage/none\nReturnToService=2\nKillWait=90\n"
           // On a busy machine a daemon answers late. Slurm warns of more than 100 s.
           "MessageTimeout=100\nTCPTimeout=60\n"
        << "NodeName=w[1-4] NodeHostname=" << host << " NodeAddr=127.0.0.1 Port=[" << port + 1
        << "-" << port + kNodes << "] CPUs=2 State=UNKNOWN\n"
        << "PartitionName=all Nodes=w[1-4] Default=YES MaxTime=INFINITE State=UP\n";
  }

  // Waits until the condition holds because of the daemons. If a daemon ends, this is a failure.
  ::testing::AssertionResult daemons_bring(const std::string& what,
                                           const std::function<bool()>& holds) {
    const auto has_ended = [](posix::Process& daemon) { return daemon.poll().has_value(); };
    return posix::wait_until({.what = what, .holds = holds, .is_impossible = [&] {
                                return std::ranges::any_of(daemons_, has_ended);
                              }});
  }

  void start_daemon(const std::string& name, std::vector<std::string> argv) {
    auto process = posix::Process::start({.argv = std::move(argv),
                                          .environment = environment(),
                                          .output = path(name + ".out"),
                                          .dies_with_parent = true});
    ASSERT_TRUE(process) << name << ": " << process.error().message;
    daemons_.push_back(std::move(*process));
  }

  int idle_nodes() const {
    const std::string states = command({"sinfo", "--noheader", "--Node", "--format=%N %T"}).output;
    int idle = 0;
    for (std::size_t at = 0; (at = states.find(" idle\n", at)) != std::string::npos; ++at) ++idle;
    return idle;
  }

  const Runs& runs_;
  const posix::ReservedPorts ports_{1 + kNodes};  // Ports of slurmctld and of each slurmd.
  std::vector<posix::Process> daemons_;
};

TEST(RealSlurm, AnAllocationsWorkersTrainLeaveOnASignalAndAreResumedInTheNext) {
  ASSERT_TRUE(std::filesystem::exists("/usr/sbin/slurmctld")) << kInstall;
  std::error_code missing;
  if (std::filesystem::is_empty(kControlGroups, missing) || missing) {
    GTEST_SKIP() << "slurmd needs control groups, but none are mounted on " << kControlGroups;
  }
  Runs runs;
  SlurmCluster slurm(runs);
  ASSERT_TRUE(slurm.start()) << slurm.logs();
  const std::string surety =
      (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "bin/surety").string();
  const auto in_allocation = [&](const std::string& nodes, std::vector<std::string> arguments) {
    std::vector<std::string> argv{"salloc", "--nodes=" + nodes, surety};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    return posix::Process::start({.argv = std::move(argv),
                                  .environment = slurm.environment(),
                                  .output = runs.path("log")})
        .value();
  };
  posix::Process first =
      in_allocation("2", runs.training(kEndless, {"cluster={slurm: {poll: 500ms, notice: 60s}}"}));
  // A worker that was declared lost may join a second time.
  const auto joined = [&](std::size_t count, std::size_t before, posix::Process& allocation) {
    return runs.wait_for(
        fmt::format("{} workers and {} passes", count, before + 1),
        [=](const Records& records) {
          const std::vector<pid_t> pids = workers(records);
          return std::set<pid_t>(pids.begin(), pids.end()).size() >= count &&
                 passes(records) > before;
        },
        &allocation);
  };
  ASSERT_TRUE(joined(2, 0, first)) << runs.output("log") << slurm.logs();
  // One worker gets notice: it hands over its chunks and leaves, and the other one continues alone.
  const std::string id = slurm.job();
  ASSERT_TRUE(slurm.cancel(
      {"--signal=TERM", id + ".0"}, first, "a worker that wants to leave",
      [&] { return runs.output("log").find("requests to leave") != std::string::npos; }))
      << runs.output("log");
  // The worker may be declared lost before it has handed over its chunks.
  ASSERT_TRUE(runs.wait_for(
      "a leave", [](const Records& r) { return gone(r, "leave") + silent(r) > 0; }, &first))
      << runs.output("log") << slurm.logs();
  EXPECT_TRUE(runs.wait_for_output("log", "the allocation has 1 usable node", 1, &first))
      << runs.output("log") << slurm.logs();
  // The allocation is taken away: the run stops, and continues in the next, larger allocation.
  ASSERT_TRUE(slurm.cancel({id}, first, "the end of the job", [&] {
    return first.poll().has_value();
  })) << runs.output("log");
  // The program that runs in the allocation may end after `salloc`.
  EXPECT_TRUE(runs.wait_for_output("log", "--resume --out")) << runs.output("log") << slurm.logs();
  const std::size_t before = passes(runs.journal("run"));
  posix::Process second = in_allocation("3", {"train", "--resume", "--out", runs.path("run")});
  ASSERT_TRUE(joined(5, before, second)) << runs.output("log") << slurm.logs();
  EXPECT_TRUE(slurm.cancel({"--user=root"}, second, "the end of the second job", [&] {
    return second.poll().has_value();
  })) << runs.output("log");
}

}  // namespace slurm_real_posix_test
}  // namespace surety::cli
