// The target of the faults: a run with its coordinator, workers, network and disk, as processes of
// this machine. They all end with the object.
//
// A process that ends is started again after a while, as a supervisor of a cluster would do. With
// Capabilities::links, the coordinator and each worker have a host of their own. Otherwise all are
// on this host, and half of the workers are the coordinator's own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/posix/process.h"
#include "base/time.h"
#include "judgement.h"
#include "lasting_faults.h"
#include "network.h"
#include "small_disk.h"
#include "worker_exits.h"

namespace surety::bench {

struct ChaosTargetOptions {
  std::filesystem::path folder;  // Folder for the job, the run and the output of the processes.
  std::string job;               // YAML, without `cluster`.
  std::uint32_t workers = 8;
  const Network* network = nullptr;  // A network of workers + 1 hosts.
  const SmallDisk* disk = nullptr;   // A disk on folder / "disk".
};

class ChaosTarget {
 public:
  explicit ChaosTarget(ChaosTargetOptions options);
  ~ChaosTarget();
  ChaosTarget(const ChaosTarget&) = delete;
  ChaosTarget& operator=(const ChaosTarget&) = delete;

  [[nodiscard]] Result<void> start();
  void inject(const Fault& fault);
  // Undoes the faults that are over, and starts processes again at their times. InvalidInput if the
  // run ended unexpectedly.
  [[nodiscard]] Result<void> supervise();
  void heal();  // Undoes all faults now.
  // The exit code of the run's coordinator, once the run is complete.
  [[nodiscard]] std::optional<int> ended() const { return ended_; }

  [[nodiscard]] Records journal() const;
  [[nodiscard]] std::filesystem::path run() const;
  [[nodiscard]] const std::vector<InjectedFault>& faults() const { return faults_; }
  // Number of durable records that were lost with a coordinator.
  [[nodiscard]] std::uint32_t records_lost() const { return records_lost_; }
  [[nodiscard]] std::vector<UnexpectedExit> unexpected_exits() const;
  [[nodiscard]] std::uint32_t resumes() const { return resumes_; }

 private:
  struct Joiner {
    std::optional<posix::Process> process;
    Time start_at;
  };

  [[nodiscard]] Result<void> start_coordinator();
  [[nodiscard]] Result<void> start_joiner(std::uint32_t number);
  [[nodiscard]] Result<posix::Process> start_on(std::uint32_t host, std::vector<std::string> argv,
                                                const std::string& output) const;
  [[nodiscard]] std::set<pid_t> workers() const;
  void on_coordinator_exit(const posix::ExitStatus& status);
  void undo(const LastingFault& fault);
  void disturb_worker(FaultKind kind, pid_t pid, double duration_s);
  [[nodiscard]] std::uint32_t local() const;

  ChaosTargetOptions options_;
  std::optional<posix::Process> coordinator_;
  std::optional<Time> coordinator_at_;  // Time at which it is to be started again.
  std::vector<Joiner> joiners_;
  LastingFaults lasting_;
  std::vector<InjectedFault> faults_;
  std::optional<int> ended_;
  WorkerExits exits_;
  // The records at the end of the last coordinator that was killed.
  Records durable_;
  std::uint32_t records_lost_ = 0;
  std::uint32_t resumes_ = 0;
  std::uint32_t resumes_without_pass_ = 0;
  // Number of passes when the run was last resumed.
  std::size_t passes_ = 0;
};

}  // namespace surety::bench
