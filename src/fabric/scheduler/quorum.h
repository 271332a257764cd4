// Decides when waiting workers get a new model. All training modes are the same rule with different
// numbers.
//
// A round trip is push, wait, pull. The wait ends when q updates have been finished since the last
// release: q = n is synchronous, 0 is asynchronous, and values between them are K-batch
// asynchronous training (K-async of Dutta et al. 2018). Bounded staleness (stale synchronous
// parallel, Ho et al. 2013) lets a worker continue while it is at most s updates ahead of the
// slowest.
//
// No worker waits for ever. A worker that waits in a batch has finished an update in it, so the
// batch is full when all workers wait.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "fabric/network/types.h"

namespace surety::fabric {

// At most one of the two is set; if neither is, no worker waits.
struct QuorumOptions {
  // K-batch: q, the number of updates in a batch. If q is larger than the number of workers, it
  // means all of them.
  std::optional<std::uint32_t> batch{};
  std::optional<std::uint64_t> ahead{};  // Bounded staleness: s, in updates.
};

class Quorum {
 public:
  // REQUIRES: the options have not both numbers.
  Quorum(const QuorumOptions& options, std::span<const WorkerId> workers);

  // REQUIRES: the worker is not waiting, and has no update that is not finished.
  void leave(WorkerId worker);
  // Whether the worker has not left.
  [[nodiscard]] bool has(WorkerId worker) const { return workers_.contains(worker); }

  // An update of this worker was applied or dropped. A dropped update also counts for the worker's
  // own clock and for the quorum; otherwise a dropping rule could stop all workers. REQUIRES: it
  // has not left.
  void on_finished(WorkerId worker);

  // The worker waits for a model. REQUIRES: it has not left and is not waiting yet.
  void wait(WorkerId worker);

  // Returns the workers that may pull now, in ascending order; they no longer wait. Call it after
  // every change. O(workers), or O(1) while no worker waits.
  [[nodiscard]] std::vector<WorkerId> release();

  // The quorum q for the current workers. With 0 no worker waits for a batch.
  [[nodiscard]] std::uint32_t needed() const;
  [[nodiscard]] bool waits(WorkerId worker) const { return waiting_.contains(worker); }

 private:
  struct Worker {
    std::uint64_t clock = 0;  // Number of updates finished.
    // Batch of its last update. A worker that has not finished any update does not wait for a
    // batch.
    std::optional<std::uint64_t> batch{};
  };
  void close_batch();

  QuorumOptions options_;
  std::map<WorkerId, Worker> workers_;
  std::set<WorkerId> waiting_;  // wait() adds, and release() removes.
  // The current batch. A worker whose last update was in an earlier batch may pull.
  std::uint64_t batch_ = 1;
  std::uint32_t finished_ = 0;  // Updates finished in the current batch.
};

}  // namespace surety::fabric
