// The nodes of a Slurm allocation: those with a worker, those that may get one, and the command
// that starts it.
//
// A node is on notice if Slurm told its worker to stop (SIGTERM: preemption, the time limit,
// scancel). It gets no worker again unless it leaves the allocation and is added again.
//
// Pure: no clock, no I/O. Another class decides whether a worker is wanted
// (orchestrator/workforce/node_pool.h).
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

  // The node for the next worker: one without a worker and not on notice, whose workers have ended
  // least often. Ties go to the first by name. Nothing if there is no such node.
  [[nodiscard]] std::optional<std::string> free() const;
  // A worker was started on this node, or has ended; unknown nodes are ignored.
  void on_started(const std::string& node);
  void on_ended(const std::string& node);
  void on_notice(const std::string& node);

  // Nodes of the allocation that are not on notice: they have a worker or may get one.
  [[nodiscard]] std::uint32_t usable() const;

 private:
  struct Node {
    bool has_worker = false;
    bool on_notice = false;
    // No longer in the allocation; kept until the end of its worker is reported.
    bool has_left = false;
    std::uint32_t ends = 0;  // Workers that ended here: a broken node is tried last.
  };
  std::map<std::string, Node> nodes_;  // update() adds; update() and on_ended() remove.
};

// The command prefix that runs a program once on that node, inside the allocation.
//
// The step shares the node with other steps of the job (--overlap) and is not bound to a core. Its
// failure ends no other step (--kill-on-bad-exit=0). srun passes on the environment of this
// process, and with it the token.
[[nodiscard]] std::vector<std::string> srun_command(const std::string& job,
                                                    const std::string& node);

// The command whose output is the allocation's list of hosts (slurm_hosts.h).
[[nodiscard]] std::vector<std::string> node_list_command(const std::string& job);

}  // namespace surety::orchestrator
