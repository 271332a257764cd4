// All worker processes of a simulated cluster, with the machine of each process, and the process of
// each worker id.
//
// A process has a number, from 1, and keeps its place here when it has ended. A worker id belongs
// to one process for ever; a process may have had several ids.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "base/result.h"
#include "plan/types.h"
#include "sim/process/process.h"
#include "sim/process/world.h"
#include "sim/world/options.h"
#include "sim/world/rounds.h"

namespace surety::sim {

class ProcessTable {
 public:
  // `world`: what all processes share; its `peers` are set here. The references must outlive this.
  ProcessTable(World world, Random& random);
  ProcessTable(const ProcessTable&) = delete;
  ProcessTable& operator=(const ProcessTable&) = delete;

  // The number of machines: one for the coordinator, those for workers, and some more for workers
  // that join from elsewhere and for processes that end late.
  [[nodiscard]] static HostIndex hosts(const SimOptions& options) { return options.nodes + 17; }

  // Starts a process of this node type (empty means the first one) on the machine with the fewest
  // processes. `joined_by_itself`: no coordinator starts it. REQUIRES: the job has this type.
  void start(const std::string& type, bool joined_by_itself);
  // From now on this worker is that process.
  void name(WorkerId worker, std::uint32_t process) { process_of_[worker] = process; }

  // REQUIRES: there was such a process.
  [[nodiscard]] Process& at(std::uint32_t process) const { return *processes_.at(process); }
  // Null if no worker ever had this id.
  [[nodiscard]] Process* of(WorkerId worker) const;
  // The machine of the worker; Unavailable if it cannot be reached. A worker that vanished with its
  // machine still counts as reachable, because its connections were not closed.
  [[nodiscard]] Result<HostIndex> reach(WorkerId worker) const;
  // REQUIRES: there was such a worker.
  [[nodiscard]] Rounds::Member member(WorkerId worker) const;
  // All processes by number, also those that have ended.
  [[nodiscard]] std::vector<Process*> all() const;
  // The number of processes of each type that run and were started by a coordinator.
  [[nodiscard]] std::vector<plan::NodeCount> started_by_coordinators() const;
  // The number of processes that were started.
  [[nodiscard]] std::uint32_t started() const {
    return static_cast<std::uint32_t>(processes_.size());
  }

 private:
  [[nodiscard]] HostIndex free_host() const;

  World world_;
  Random& random_;
  // The key is the number of the process.
  std::map<std::uint32_t, std::unique_ptr<Process>> processes_;
  std::map<WorkerId, std::uint32_t> process_of_;
};

}  // namespace surety::sim
