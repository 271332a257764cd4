// Starts worker processes on this machine, and sees to it that none outlives the job.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/posix/process.h"
#include "base/result.h"

namespace surety::runtime {

struct LauncherOptions {
  std::filesystem::path program;  // surety-worker, or surety for models without libtorch.
  bool is_surety = false;         // The program is `surety`, whose sub-command is `worker`.
  std::string join;               // HOST:PORT
  std::string token;
  std::filesystem::path logs;  // A folder; gets worker-N.log.
  std::string data_root;
  std::uint32_t threads = 1;  // Of each worker.
};

struct WorkerEnd {
  std::string what;  // "worker process 3 (pid 812): signal 9 (Killed)"
  std::string type;
  bool joined = false;
};

class Launcher {
 public:
  explicit Launcher(LauncherOptions options) : options_(std::move(options)) {}

  // Starts one worker of that node type. InvalidInput where the program cannot be started.
  [[nodiscard]] Result<void> start(const std::string& type);
  // A worker that says it is process `pid` has joined. Is it one of ours?
  bool joined(pid_t pid);
  // Those that ended since the last call.
  [[nodiscard]] std::vector<WorkerEnd> ended();
  [[nodiscard]] std::uint32_t running() const {
    return static_cast<std::uint32_t>(children_.size());
  }
  // Waits for all to end by themselves, then asks, then kills.
  void finish(Duration grace);

 private:
  LauncherOptions options_;
  struct Child {
    std::uint32_t number = 0;
    std::string type;
    posix::Process process;
    bool joined = false;
  };
  std::vector<Child> children_;
  std::uint32_t started_ = 0;
};

}  // namespace surety::runtime
