// The only worker of a job, as a thread of the coordinator's process: a small job is done before
// two processes have connected.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "learn/task.h"
#include "runtime/control/local_control.h"
#include "runtime/coordinator/launcher.h"

namespace surety::runtime {

struct ThreadLauncherOptions {
  learn::TaskFactory factory;
  std::optional<std::string> spill;  // The job's spill folder (ClusterSpec).
  std::uint32_t threads = 1;         // Threads that compute.
};

class ThreadLauncher final : public Launcher {
 public:
  // `control` must outlive this.
  ThreadLauncher(ThreadLauncherOptions options, LocalControl& control)
      : options_(std::move(options)), control_(control) {}
  ~ThreadLauncher() override { finish({}, {}); }

  // A thread cannot be killed. So if a worker runs, the new one starts after that worker has ended.
  // Unavailable: the system cannot start another thread.
  [[nodiscard]] Result<void> start(const std::string& type) override;
  [[nodiscard]] bool has(std::uint32_t launch) const override {
    return thread_.joinable() && launch == started_;
  }
  [[nodiscard]] std::vector<WorkerEnd> take_ended() override;
  [[nodiscard]] std::uint32_t running() const override { return thread_.joinable() ? 1 : 0; }
  // Ends the worker's stream. A thread cannot be killed, so this function waits until the worker
  // notices the end, between two blocks of samples or after reading a file.
  void finish(Duration grace, const std::set<std::uint32_t>& joined) override;

 private:
  void work(std::uint32_t launch, const std::string& type);

  const ThreadLauncherOptions options_;
  LocalControl& control_;
  std::thread thread_;
  std::string type_;           // Node type of the running worker.
  std::uint32_t started_ = 0;  // The latest launch.
  std::optional<std::string> next_{};  // Type of the worker that starts when this one has ended.
  // The reason for the end of the worker. The thread adds an entry, and take_ended() removes it.
  Inbox<std::string> ends_;
};

}  // namespace surety::runtime
