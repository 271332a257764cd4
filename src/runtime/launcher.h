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

class Launcher {
 public:
  explicit Launcher(LauncherOptions options) : options_(std::move(options)) {}

  // InvalidInput where the program cannot be started.
  [[nodiscard]] Result<void> start(std::uint32_t count);
  // Those that ended since the last call: "worker process 3 (pid 812): signal 9 (Killed)".
  [[nodiscard]] std::vector<std::string> ended();
  [[nodiscard]] std::uint32_t running() const {
    return static_cast<std::uint32_t>(children_.size());
  }
  // Waits for all to end by themselves, then asks, then kills.
  void finish(Duration grace);

 private:
  LauncherOptions options_;
  struct Child {
    std::uint32_t number = 0;
    posix::Process process;
  };
  std::vector<Child> children_;
  std::uint32_t started_ = 0;
};

}  // namespace surety::runtime
