// Workers as processes, on this machine or one on each node of a Slurm allocation.
//
// On this machine they survive a killed coordinator. The next coordinator of the run finds them by
// their environment (run and launch) and continues with them. A worker without a coordinator ends
// after `cluster.wait`, or when the run's folder is gone (runtime/worker/worker.h). In an
// allocation workers end with the coordinator.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/posix/process.h"
#include "orchestrator/slurm/slurm_allocation.h"
#include "runtime/coordinator/launcher.h"
#include "runtime/slurm/slurm.h"

namespace surety::runtime {

struct ProcessLauncherOptions {
  std::filesystem::path program{};  // surety-worker, or surety for models without libtorch.
  bool is_surety = false;           // The program is `surety`, whose sub-command is `worker`.
  std::string join{};               // Address of the coordinator: HOST:PORT or unix:PATH.
  std::string token{};
  std::filesystem::path folder;  // Folder of the run; worker logs go to logs/worker-N.log.
  // Time for which a worker waits for a lost coordinator (ClusterSpec).
  Duration wait{};
  std::optional<std::string> spill{};  // The job's spill folder (ClusterSpec).
  // Threads of each worker. In an allocation a worker uses its node's share.
  std::uint32_t threads = 1;
  // Workers run on the nodes of this allocation. REQUIRES: is_surety.
  std::optional<SlurmJob> slurm{};
  job::SlurmSpec slurm_spec{};
};

// How a worker of this type is started, as the launch with this number. `node` is its node of the
// allocation. REQUIRES: there is a node if, and only if, `options` names an allocation.
[[nodiscard]] posix::ProcessOptions worker_process(const ProcessLauncherOptions& options,
                                                   const std::string& type,
                                                   const std::optional<std::string>& node,
                                                   std::uint32_t launch);

class ProcessLauncher final : public Launcher {
 public:
  explicit ProcessLauncher(ProcessLauncherOptions options);

  // InvalidInput if the program cannot be started. Unavailable if every node of the allocation has
  // a worker or is on notice.
  [[nodiscard]] Result<void> start(const std::string& type) override;
  [[nodiscard]] std::vector<plan::NodeCount> adopt_running() override;
  void end_remaining();  // Must be called when the run has ended without these workers.
  [[nodiscard]] bool has(std::uint32_t launch) const override;
  void on_notice(std::uint32_t launch) override;
  [[nodiscard]] std::optional<std::uint32_t> take_available(Time now) override;
  [[nodiscard]] std::vector<WorkerEnd> take_ended() override;
  [[nodiscard]] std::uint32_t running() const override {
    return static_cast<std::uint32_t>(children_.size());
  }
  void finish(Duration grace, const std::set<std::uint32_t>& joined) override;
  void release_workers() override;

 private:
  ProcessLauncherOptions options_;
  std::optional<orchestrator::SlurmAllocation> allocation_;
  std::filesystem::path logs_;
  std::optional<SlurmWatch> watch_;
  bool changed_ = false;  // take_available() has a change to report.
  struct Child {
    std::uint32_t number = 0;
    std::string type;
    std::optional<std::string> node;  // A node of the allocation; otherwise this machine.
    posix::Process process;
  };
  void wait_for_ends(Duration patience);
  std::vector<Child> children_;
  std::uint32_t started_ = 0;
};

}  // namespace surety::runtime
