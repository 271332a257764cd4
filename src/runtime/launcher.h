// Starts worker processes, on this machine or one on each node of a Slurm allocation, and sees to
// it that none outlives the job.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/posix/process.h"
#include "base/result.h"
#include "orchestrator/slurm_allocation.h"
#include "runtime/slurm.h"

namespace surety::runtime {

struct LauncherOptions {
  std::filesystem::path program;  // surety-worker, or surety for models without libtorch.
  bool is_surety = false;         // The program is `surety`, whose sub-command is `worker`.
  std::string join;               // HOST:PORT
  std::string token;
  std::filesystem::path logs;  // A folder; gets worker-N.log.
  std::string data_root;
  std::string spill;          // Of the job (ClusterSpec).
  std::uint32_t threads = 1;  // Of each worker; in an allocation a worker uses its node's share.
  // Workers run on the nodes of this allocation. REQUIRES: is_surety.
  std::optional<SlurmJob> slurm{};
  orchestrator::SlurmSpec slurm_spec{};
};

struct WorkerEnd {
  std::string what;  // "worker process 3 (pid 812): signal 9 (Killed)"
  std::string type;
  bool joined = false;
};

class Launcher {
 public:
  explicit Launcher(LauncherOptions options);

  // Starts one worker of that node type. InvalidInput where the program cannot be started,
  // Unavailable where every node of the allocation has a worker or is on notice.
  [[nodiscard]] Result<void> start(const std::string& type);
  // A worker that names this launch (Hello) has joined. Is it one of ours?
  bool joined(std::uint32_t launch);
  // That worker was asked to stop, and not by us: its node is on its way out of the allocation.
  void on_notice(std::uint32_t launch);
  // How many workers there may be, where that has changed since the last call; without an
  // allocation never.
  [[nodiscard]] std::optional<std::uint32_t> available(Time now);
  // Those that ended since the last call.
  [[nodiscard]] std::vector<WorkerEnd> ended();
  [[nodiscard]] std::uint32_t running() const {
    return static_cast<std::uint32_t>(children_.size());
  }
  // Waits for all to end by themselves, then asks, then kills.
  void finish(Duration grace);

 private:
  LauncherOptions options_;
  std::optional<orchestrator::SlurmAllocation> allocation_;
  std::optional<SlurmWatch> watch_;
  bool changed_ = false;  // What available() has still to tell.
  struct Child {
    std::uint32_t number = 0;
    std::string type, node;  // node: of the allocation; empty: this machine.
    posix::Process process;
    bool joined = false;
  };
  [[nodiscard]] posix::ProcessOptions process(const std::string& type, const std::string& node,
                                              std::uint32_t number) const;
  std::vector<Child> children_;
  std::uint32_t started_ = 0;
};

}  // namespace surety::runtime
