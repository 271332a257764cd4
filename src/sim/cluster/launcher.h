// The worker processes that coordinators start, as runtime/coordinator/process_launcher.cc does in
// a real run. A process survives a coordinator that is killed. A coordinator that ends by itself
// ends its processes, and those of earlier coordinators.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orchestrator/ledger/job_events.h"
#include "orchestrator/workforce/worker_connections.h"
#include "plan/types.h"
#include "sim/process/process_table.h"
#include "sim/world/trace.h"
#include "sim/world/watch.h"

namespace surety::sim {

// Whether the processes that coordinators started continue after the coordinator.
enum class Remaining : std::uint8_t { kStay, kEnd };

class Launcher {
 public:
  // The references must outlive this object.
  Launcher(ProcessTable& processes, Trace& trace, Watch& watch)
      : processes_(processes), trace_(trace), watch_(watch) {}

  // A coordinator begins. Returns the processes of earlier ones that still run.
  [[nodiscard]] std::vector<plan::NodeCount> begin();
  void launch(const plan::NodeCount& nodes);
  [[nodiscard]] bool has_launched(std::uint32_t process) const {
    return !processes_.at(process).start().joined_by_itself;
  }
  // The message to the coordinator about a process that has ended in the way `how`. REQUIRES:
  // has_launched(process).
  [[nodiscard]] orchestrator::WorkerProcessEnded end_of(
      std::uint32_t process, const std::string& how,
      const orchestrator::WorkerConnections& connections) const;
  // The coordinator ends.
  void end(Remaining workers);

 private:
  ProcessTable& processes_;
  Trace& trace_;
  Watch& watch_;
};

}  // namespace surety::sim
