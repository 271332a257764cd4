// The chunks of a session that change their owner, from the directory's decision
// (elastic/ownership/directory.h) until all workers have answered the Prepare with this decision.
// Also determines whether a Prepare is due.
//
// A Prepare is due at first, and whenever membership or ownership has changed since the last one
// was sent. Grants are pending from grant() to confirm(). While grants are pending, no new decision
// may be made, so they are issued again if their Prepare became void.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "base/ids.h"
#include "elastic/ownership/directory.h"

namespace surety::orchestrator {

class ChunkMoves {
 public:
  // Only this many workers may have chunks; the others rest. None means all, which is the initial
  // value.
  void limit_workers(std::optional<std::uint32_t> workers);
  [[nodiscard]] std::optional<std::uint32_t> working() const { return working_; }
  // Whether the worker has no chunks since the last decision.
  [[nodiscard]] bool rests(WorkerId worker) const { return resting_.contains(worker); }

  void require_prepare() { is_due_ = true; }
  [[nodiscard]] bool is_prepare_due() const { return is_due_; }
  // The Prepare that was due has been made. If it issues grants again, another Prepare is due after
  // it, because these grants do not consider changes since their decision.
  void begin_prepare() { is_due_ = !pending_.empty(); }

  // Whether chunks should be moved before the iteration after `iteration`, although membership has
  // not changed. Returns false after grant() for this iteration. `staying`: workers that are not
  // leaving.
  [[nodiscard]] bool is_balance_due(bool moves_chunks, std::size_t staying,
                                    std::uint64_t iteration) const;

  // Takes a decision from before the iteration after `iteration`. REQUIRES: nothing is pending.
  void grant(const elastic::Boundary& boundary, std::uint64_t iteration);
  // Grants that no Prepare has confirmed, in the order of the decision, without senders that were
  // lost.
  [[nodiscard]] const std::vector<elastic::Grant>& pending() const { return pending_; }
  // All workers have answered. Returns the grants, which are no longer pending.
  [[nodiscard]] std::vector<elastic::Grant> confirm();
  // The worker was lost with its chunks, and with those that it was to receive.
  void lose(WorkerId worker);

 private:
  bool is_due_ = true;
  std::vector<elastic::Grant> pending_;
  std::optional<std::uint32_t> working_;
  std::set<WorkerId> resting_;
  // The iteration before the last decision.
  std::optional<std::uint64_t> decided_at_;
};

}  // namespace surety::orchestrator
