// The workers of a run: how they join, take part, are lost and leave. It records which workers are
// present, and informs the trainer, the pool of nodes and the journal.
//
// Pure: no clock, no I/O. staffing.h decides which workers are wanted.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/ids.h"
#include "elastic/ownership/membership.h"
#include "orchestrator/history/departure_kind.h"
#include "orchestrator/ledger/job_config.h"
#include "orchestrator/ledger/job_events.h"
#include "orchestrator/ledger/ledger.h"
#include "orchestrator/training/trainer.h"
#include "orchestrator/workforce/node_pool.h"
#include "orchestrator/workforce/places.h"

namespace surety::orchestrator {

// Tells the worker to end, with a reason.
[[nodiscard]] Command bye_to(WorkerId worker, const std::string& reason);
// Tells all present workers to end, because the run ends.
void dismiss_all(Ledger& ledger, const elastic::Membership& membership, const std::string& reason);

class Workforce {
 public:
  // `on_gone` is called after a worker was lost or has left. The references must outlive this
  // object.
  Workforce(const JobConfig& config, Ledger& ledger, Trainer& trainer, NodePool& pool,
            Places& places, std::function<void()> on_gone);

  // The process becomes a worker with a new id. If it does not take part yet, it does so from
  // enlist_waiting() on. A worker for which there is no place (places.h) leaves at once, and so
  // does one with an invitation that many others use. REQUIRES: its node type is one of the job's.
  void welcome(const WorkerHello& event, bool takes_part);
  // Waiting workers take part from now on, and workers of all types count.
  void enlist_waiting();
  // A message of a present worker has arrived.
  void on_message(WorkerId worker);

  void lose(WorkerId worker, const std::string& reason);
  // The worker cannot do its work, so it is told to end, and counts as lost.
  void give_up(const FaultyWorker& faulty);
  // The worker hands over its chunks before it leaves; one that takes no part leaves at once.
  // Returns false, and does nothing, if it is leaving already.
  bool leave(WorkerId worker);
  // Lets the workers leave that have handed over their chunks.
  void release_departed();
  void on_process_ended(const WorkerProcessEnded& event);
  // Declares all workers lost that were silent for too long, at once: whether the loss of the first
  // one ends the run depends on the number of others that will be replaced.
  void lose_silent();

  // A pass has ended in spite of earlier losses, so these no longer count.
  void on_pass();
  // Workers lost since the last finished pass.
  [[nodiscard]] std::uint32_t losses() const { return losses_; }
  // False if so many workers were lost, for a run that wants `nodes` nodes, that new ones would not
  // help.
  [[nodiscard]] bool may_replace(std::uint32_t nodes) const;

  [[nodiscard]] const elastic::Membership& membership() const { return membership_; }
  // Whether workers of all types take part, not only those of the first type.
  [[nodiscard]] bool counts_all_types() const;
  // Workers that take part and are not leaving.
  [[nodiscard]] std::uint32_t staying() const;
  // Expected workers: processes that were requested, or will be requested in place of lost ones.
  [[nodiscard]] std::uint32_t awaited() const;
  // Whether no worker is present and none is expected.
  [[nodiscard]] bool is_empty() const;

 private:
  void remove(WorkerId worker, DepartureKind how, const std::string& reason);
  void drop(WorkerId worker, DepartureKind how, const std::string& reason);
  void send_bye(WorkerId worker, const std::string& reason);

  const JobConfig& config_;
  Ledger& ledger_;
  Trainer& trainer_;
  NodePool& pool_;
  Places& places_;
  const std::function<void()> on_gone_;
  elastic::Membership membership_;
  std::map<WorkerId, std::string> waiting_;  // Addresses of workers that take no part yet.
  std::set<WorkerId> leaving_;               // Present workers that have requested to leave.
  bool all_types_count_ = false;
  std::uint32_t losses_ = 0;
  // Most workers present at the same time since the last finished pass.
  std::uint32_t most_present_ = 0;
};

}  // namespace surety::orchestrator
