// Starts the workers that the coordinator requests, and ensures that no worker outlives the job.
// They are processes (process_launcher.h), or the only worker is a thread (thread_launcher.h).
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "plan/types.h"

namespace surety::runtime {

struct WorkerEnd {
  std::string what;  // "worker process 3 (pid 812): signal 9 (Killed)"
  std::string type;
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
  // Whether this launcher has started or adopted this launch, and its worker still runs.
  [[nodiscard]] virtual bool has(std::uint32_t launch) const = 0;
  // Another program has told this worker to stop, because its node will soon leave the allocation.
  virtual void on_notice(std::uint32_t) {}
  // The allowed number of workers, if it has changed since the last call. Without an allocation it
  // is never set.
  [[nodiscard]] virtual std::optional<std::uint32_t> take_available(Time) { return std::nullopt; }
  // Workers that ended since the last call.
  [[nodiscard]] virtual std::vector<WorkerEnd> take_ended() = 0;
  [[nodiscard]] virtual std::uint32_t running() const = 0;
  // Waits for all workers to end by themselves. After `grace`, processes that still run are told to
  // stop, and then killed. Launches that have not joined have no work to finish, and are told to
  // stop at once.
  virtual void finish(Duration grace, const std::set<std::uint32_t>& joined) = 0;
  // Lets the workers continue without this coordinator. The run's next coordinator gets them.
  virtual void release_workers() {}
};

}  // namespace surety::runtime
