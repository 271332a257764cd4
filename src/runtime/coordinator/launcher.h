// Starts the workers that the coordinator requests, and ensures that no worker outlives the job.
// They are processes (process_launcher.h), or the only worker is a thread (thread_launcher.h).
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
  kStranger,  // Not started by this launcher.
  kFirst,     // Started by this launcher; this is its first Hello.
  kAgain,
};

struct WorkerEnd {
  std::string what;  // "worker process 3 (pid 812): signal 9 (Killed)"
  std::string type;
  bool joined = false;
  std::uint32_t launch = 0;  // The number that the worker named in its Hello.
};

class Launcher {
 public:
  virtual ~Launcher() = default;

  // Starts one worker of that node type. InvalidInput if it cannot be started, Unavailable if there
  // is no free place for it at present.
  [[nodiscard]] virtual Result<void> start(const std::string& type) = 0;
  // Returns the remaining workers of the run's last coordinator, by type. From now on they belong
  // to this launcher.
  [[nodiscard]] virtual std::vector<plan::NodeCount> adopt_running() { return {}; }
  // A worker that names this launch in its Hello has joined.
  virtual Joined on_joined(std::uint32_t launch) = 0;
  // Another program has told this worker to stop, because its node will soon leave the allocation.
  virtual void on_notice(std::uint32_t) {}
  // The allowed number of workers, if it has changed since the last call. Without an allocation it
  // is never set.
  [[nodiscard]] virtual std::optional<std::uint32_t> take_available(Time) { return std::nullopt; }
  // Workers that ended since the last call.
  [[nodiscard]] virtual std::vector<WorkerEnd> take_ended() = 0;
  [[nodiscard]] virtual std::uint32_t running() const = 0;
  // Waits for all workers to end by themselves. After `grace`, processes are told to stop, and
  // later killed.
  virtual void finish(Duration grace) = 0;
  // Lets the workers continue without this coordinator. The run's next coordinator gets them.
  virtual void release_workers() {}
};

}  // namespace surety::runtime
