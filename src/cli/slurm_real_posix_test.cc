// Runs inside allocations of a real Slurm: munged, slurmctld and four slurmd on this machine, which
// the test starts and stops. The packages are in packages.txt; without them the test fails.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "base/posix/cpu.h"
#include "base/posix/ports_testing.h"
#include "cli/commands.h"
#include "cli/runs_test.h"
#include "runtime/coordinator.h"

namespace surety::cli {
namespace slurm_real_posix_test {

constexpr const char* kInstall = "scripts/setup --tests installs slurm-wlm";
constexpr int kNodes = 4;

std::size_t count(const Records& records, bool (proto::JournalRecord::*has)() const) {
  return static_cast<std::size_t>(
      std::count_if(records.begin(), records.end(), [&](const auto& r) { return (r.*has)(); }));
}

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

  bool start() {
    return start_daemon(
               "munged",
               {"/usr/sbin/munged", "--foreground", "--force", "--socket=" + path("munge.socket"),
                "--key-file=" + path("munge.key"), "--pid-file=" + path("munged.pid"),
                "--seed-file=" + path("munge.seed"), "--log-file=" + path("munged.log")}) &&
           posix::wait_until("munged's socket",
                             [&] { return std::filesystem::exists(path("munge.socket")); }) &&
           start_daemon("slurmctld",
                        {"/usr/sbin/slurmctld", "-D", "-c", "-f", path("slurm.conf")}) &&
           start_nodes() && posix::wait_until("idle nodes", [&] { return idle_nodes() == kNodes; });
  }

  std::map<std::string, std::string> environment() const {
    return {{"SLURM_CONF", path("slurm.conf")}};
  }
  // Runs a command of Slurm to its end, and returns its output.
  std::string command(std::vector<std::string> argv) const {
    const std::string file = path("command-output");
    std::filesystem::remove(file);
    auto process = posix::Process::start(
        {.argv = std::move(argv), .environment = environment(), .output = file});
    if (!process) return process.error().message;
    (void)process->wait(posix::kTestPatience);
    return runs_.output("command-output");
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
        << "NodeName=w[1-4] NodeHostname=" << host << " NodeAddr=127.0.0.1 Port=[" << port + 1
        << "-" << port + kNodes << "] CPUs=2 State=UNKNOWN\n"
        << "PartitionName=all Nodes=w[1-4] Default=YES MaxTime=INFINITE State=UP\n";
  }

  bool start_nodes() {
    for (int node = 1; node <= kNodes; ++node) {
      const std::string name = "w" + std::to_string(node);
      std::filesystem::create_directories(path("spool-" + name));
      if (!start_daemon("slurmd" + std::to_string(node),
                        {"/usr/sbin/slurmd", "-D", "-N", name, "-f", path("slurm.conf")})) {
        return false;
      }
    }
    return true;
  }

  bool start_daemon(const std::string& name, std::vector<std::string> argv) {
    auto process = posix::Process::start({.argv = std::move(argv),
                                          .environment = environment(),
                                          .output = path(name + ".out"),
                                          .dies_with_parent = true});
    if (!process) return false;
    daemons_.push_back(std::move(*process));
    return true;
  }

  int idle_nodes() const {
    const std::string states = command({"sinfo", "--noheader", "--Node", "--format=%N %T"});
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
      in_allocation("2", runs.training(kEndless, {"cluster={slurm: {look: 500ms, notice: 60s}}"}));
  const auto joined = [&](std::size_t workers, std::size_t passes) {
    return runs.wait_for(fmt::format("{} workers and {} passes", workers, passes + 1),
                         [=](const Records& r) {
                           return count(r, &proto::JournalRecord::has_worker_joined) >= workers &&
                                  count(r, &proto::JournalRecord::has_pass_done) > passes;
                         });
  };
  ASSERT_TRUE(joined(2, 0)) << runs.output("log") << slurm.logs();
  // One worker gets notice: it hands over its chunks and leaves, and the other one continues alone.
  const std::string job = slurm.command({"squeue", "--noheader", "--format=%i"});
  const std::string id = job.substr(0, job.find_first_not_of("0123456789"));
  slurm.command({"scancel", "--signal=TERM", id + ".0"});
  ASSERT_TRUE(runs.wait_for("a leave",
                            [](const Records& r) {
                              return std::ranges::any_of(r, [](const auto& record) {
                                return record.has_worker_gone() &&
                                       record.worker_gone().kind() == "leave";
                              });
                            }))
      << runs.output("log") << slurm.logs();
  EXPECT_TRUE(runs.wait_for_output("log", "the allocation has 1 usable node"))
      << runs.output("log") << slurm.logs();
  // The allocation is taken away: the run stops, and continues in the next, larger allocation.
  slurm.command({"scancel", id});
  ASSERT_TRUE(first.wait(posix::kTestPatience)) << runs.output("log") << slurm.logs();
  // The program that runs in the allocation may end after `salloc`.
  EXPECT_TRUE(runs.wait_for_output("log", "--resume --out")) << runs.output("log") << slurm.logs();
  const std::size_t before = count(runs.journal("run"), &proto::JournalRecord::has_pass_done);
  posix::Process second = in_allocation("3", {"train", "--resume", "--out", runs.path("run")});
  ASSERT_TRUE(joined(5, before)) << runs.output("log") << slurm.logs();
  slurm.command({"scancel", "--user=root"});
  EXPECT_TRUE(second.wait(posix::kTestPatience)) << runs.output("log") << slurm.logs();
}

}  // namespace slurm_real_posix_test
}  // namespace surety::cli
