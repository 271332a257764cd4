// A whole cluster on one thread: the production job machine, simulated workers, network and disks.
//
// The coordinator (sim/cluster/coordinator.h) launches workers when its job machine requests them.
// They survive a killed coordinator, and the next coordinator learns which of them remain. A failed
// run is resumed from its journal, as a user would do it, and its launcher ends the workers that it
// has started.
//
// Events are handled one after the other; the same options give the same trace, byte for byte.
#pragma once

#include <cstdint>
#include <string>

#include "sim/cluster/coordinator.h"
#include "sim/cluster/fault_injector.h"
#include "sim/cluster/progress_watch.h"
#include "sim/network/event_queue.h"
#include "sim/network/network.h"
#include "sim/process/process.h"
#include "sim/process/process_table.h"
#include "sim/world/checked_journal.h"
#include "sim/world/connections.h"
#include "sim/world/options.h"
#include "sim/world/pipes.h"
#include "sim/world/rounds.h"
#include "sim/world/storage.h"
#include "sim/world/trace.h"
#include "sim/world/watch.h"

namespace surety::sim {

class Cluster {
 public:
  explicit Cluster(SimOptions options);

  // Runs until the run ends, a violation occurs, or time_max_s is reached.
  SimResult run();
  // Handles one event. False means that there is nothing more to do.
  bool step();

  [[nodiscard]] const Trace& trace() const { return trace_; }

 private:
  void on_process_ended(std::uint32_t process, const std::string& how);
  void plan_faults();

  SimOptions options_;
  // All parts of the cluster share this generator, because its draws determine every result.
  Random random_;
  EventQueue queue_;
  Trace trace_;
  Network network_;
  Rounds rounds_;
  Pipes pipes_;
  Checkpoints checkpoints_;
  Watch watch_;
  CheckedJournal journal_;
  ProcessTable processes_;
  Connections connections_;
  Coordinator coordinator_;
  FaultInjector faults_;
  ProgressWatch progress_;
};

}  // namespace surety::sim
