// Injects the faults of a simulated run (sim/faults/faults.h): the effect of each fault on the
// cluster, the time at which it begins, and its end.
//
// A fault begins at its time, or some time after a line of the time line that it waits for. Faults
// with a duration end by themselves, and heal() ends all faults that can end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "base/random.h"
#include "sim/cluster/coordinator.h"
#include "sim/process/process_table.h"
#include "sim/world/connections.h"
#include "sim/world/options.h"
#include "sim/world/pipes.h"
#include "sim/world/rounds.h"
#include "sim/world/storage.h"
#include "sim/world/trace.h"

namespace surety::sim {

class FaultInjector {
 public:
  // The parts of the cluster that faults act on.
  struct Targets {
    Network& network;
    Rounds& rounds;
    Pipes& pipes;
    Checkpoints& checkpoints;
    CheckedJournal& journal;
    ProcessTable& processes;
    Connections& connections;
    Coordinator& coordinator;
  };
  // The references must outlive this object.
  FaultInjector(const SimOptions& options, EventQueue& queue, Trace& trace, Random& random,
                const Targets& targets)
      : options_(options), queue_(queue), trace_(trace), random_(random), targets_(targets) {}

  // Makes the fault begin now.
  void inject(const Fault& fault);
  void heal();
  // The time line has this line, for which the next trigger may wait.
  void on_line(const std::string& line);

  // The number of faults until now.
  [[nodiscard]] std::uint32_t faults() const { return faults_; }

 private:
  [[nodiscard]] Process* pick(const Fault& fault);
  void inject_on(Process& process, const Fault& fault);
  void break_link(Process& process, const Fault& fault);
  void cut(const Fault& fault);
  void cut_rack(const Fault& fault);
  void cut_link(HostIndex from, HostIndex to, double for_s);
  // Calls `end` after the time, unless a fault of this kind on the same target lasts longer:
  // `until_s` is the end of the longest one, and must outlive this object.
  void end_after(double for_s, double& until_s, std::function<void()> end);
  void damage_checkpoint(const Fault& fault);
  void fill_disk(double for_s);
  void set_full(bool full);

  const SimOptions& options_;
  EventQueue& queue_;
  Trace& trace_;
  Random& random_;
  Targets targets_;
  // The ends of faults that end by themselves, in the time of the queue.
  std::map<std::uint32_t, double> slow_until_s_;                   // The end for each process.
  std::map<std::pair<HostIndex, HostIndex>, double> cut_until_s_;  // The end for each direction.
  double full_until_s_ = 0;
  std::uint32_t faults_ = 0;
  std::size_t triggered_ = 0;  // Number of options_.triggers that have fired.
};

}  // namespace surety::sim
