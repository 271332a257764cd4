// The worker processes that coordinators start: what runtime/coordinator/process_launcher.cc does
// for real. A process outlives a coordinator that is killed; one that ends by itself ends its
// processes, and those of earlier coordinators.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orchestrator/job/job_events.h"
#include "orchestrator/job/worker_connections.h"
#include "plan/types.h"
#include "sim/process/process_table.h"
#include "sim/world/trace.h"
#include "sim/world/watch.h"

namespace surety::sim {

// Whether the processes that coordinators started live on.
enum class Workers : std::uint8_t { kStay, kEnd };

class Launcher {
 public:
  // The references must outlive this object.
  Launcher(ProcessTable& processes, Trace& trace, Watch& watch)
      : processes_(processes), trace_(trace), watch_(watch) {}

  // A coordinator begins. Returns the processes of earlier ones that still run.
  [[nodiscard]] std::vector<plan::NodeCount> begin();
  void launch(const plan::NodeCount& nodes);
  [[nodiscard]] bool has_launched(std::uint32_t process) const {
    return processes_.at(process).start().local;
  }
  // What the coordinator is to know of a process that has ended, in this way.
  // REQUIRES: has_launched(process).
  [[nodiscard]] orchestrator::WorkerProcessEnded end_of(
      std::uint32_t process, const std::string& how,
      const orchestrator::WorkerConnections& connections) const;
  // The coordinator ends.
  void end(Workers workers);

 private:
  ProcessTable& processes_;
  Trace& trace_;
  Watch& watch_;
};

}  // namespace surety::sim
