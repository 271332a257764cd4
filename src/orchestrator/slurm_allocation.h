// The nodes of a Slurm allocation: which have a worker, which may get one, and how it is started.
//
// A node whose worker was told by Slurm to stop (SIGTERM: preemption, the time limit, scancel) is
// on notice: it gets no worker again unless it leaves the allocation and comes back.
//
// Pure: no clock, no I/O. Not concerned with whether a worker is wanted (node_pool.h).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace surety::orchestrator {

class SlurmAllocation {
 public:
  explicit SlurmAllocation(const std::vector<std::string>& nodes) { update(nodes); }

  // The allocation has exactly these nodes now. Returns whether usable() has changed.
  bool update(const std::vector<std::string>& nodes);

  // Where the next worker goes: a node without one and not on notice, whose workers have ended
  // least often; of equals the first by name. Nothing where there is none.
  [[nodiscard]] std::optional<std::string> free() const;
  // A worker was started there, or has ended; unknown nodes are ignored.
  void started(const std::string& node);
  void ended(const std::string& node);
  void on_notice(const std::string& node);

  // Nodes of the allocation that are not on notice: they have a worker or may get one.
  [[nodiscard]] std::uint32_t usable() const;

 private:
  struct Node {
    bool has_worker = false, on_notice = false;
    bool gone = false;       // From the allocation; here until its worker's end is told.
    std::uint32_t ends = 0;  // Of workers there: a broken node is tried last.
  };
  std::map<std::string, Node> nodes_;  // update() adds; update() and ended() remove.
};

// The command that runs what is put behind it once on that node, inside the allocation.
//
// The step shares the node with others of the job (--overlap), is not bound to a core, and its bad
// end ends no other (--kill-on-bad-exit=0). srun passes our environment on, and with it the token.
[[nodiscard]] std::vector<std::string> srun_command(const std::string& job,
                                                    const std::string& node);

// The command whose output is the allocation's list of hosts (slurm_hosts.h).
[[nodiscard]] std::vector<std::string> node_list_command(const std::string& job);

}  // namespace surety::orchestrator
