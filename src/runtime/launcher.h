// Starts the workers that the coordinator asks for, and sees to it that none outlives the job: as
// processes (process_launcher.h), or the only one there is as a thread (thread_launcher.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "plan/types.h"

namespace surety::runtime {

enum class Joined : std::uint8_t {
  kStranger,  // Not one of ours.
  kFirst,     // Ours, and it says hello for the first time.
  kAgain,
};

struct WorkerEnd {
  std::string what;  // "worker process 3 (pid 812): signal 9 (Killed)"
  std::string type;
  bool joined = false;
};

class Launcher {
 public:
  virtual ~Launcher() = default;

  // Starts one worker of that node type. InvalidInput where it cannot be started, Unavailable where
  // there is no place for it, now.
  [[nodiscard]] virtual Result<void> start(const std::string& type) = 0;
  // Those that the run's last coordinator has left behind, by type; from now on they are ours.
  [[nodiscard]] virtual std::vector<plan::NodeCount> left() { return {}; }
  // A worker that names this launch (Hello) has joined.
  virtual Joined joined(std::uint32_t launch) = 0;
  // That worker was asked to stop, and not by us: its node is on its way out of the allocation.
  virtual void on_notice(std::uint32_t) {}
  // How many workers there may be, where that has changed since the last call; without an
  // allocation never.
  [[nodiscard]] virtual std::optional<std::uint32_t> available(Time) { return std::nullopt; }
  // Those that ended since the last call.
  [[nodiscard]] virtual std::vector<WorkerEnd> ended() = 0;
  [[nodiscard]] virtual std::uint32_t running() const = 0;
  // Waits for all to end by themselves; what can be forced is asked after `grace`, then killed.
  virtual void finish(Duration grace) = 0;
  // They go on without us: the run's next coordinator has them.
  virtual void leave_to_next() {}
};

}  // namespace surety::runtime
