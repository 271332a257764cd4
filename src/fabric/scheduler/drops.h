// Decides which updates are too stale to be sent.
//
// A bound on staleness is a deadline: an update that read version r may have at most tau versions
// between its reading and its commit, so only a limited number of commits may still precede it. An
// update that cannot meet this deadline is dropped before any byte of it is sent.
#pragma once

#include <cstdint>
#include <set>

#include "fabric/network/types.h"

namespace surety::fabric {

struct Staleness {
  std::uint64_t bound = 0;  // The bound tau, in versions.
  // Version of the model that the update was computed from.
  std::uint64_t version_read = 0;
  std::uint64_t version_now = 0;
  double commits_per_s = 0;  // Rate of commits while the update travels.
  double transfer_s = 0;     // Duration of its own transfer, in seconds.
};

// The number of commits that may precede the update; negative means that it is too late. The bound
// must hold when the update arrives, not when it is requested. REQUIRES: version_read <=
// version_now.
[[nodiscard]] std::int64_t slack_of(const Staleness& staleness);

// Prevents a dropping rule from excluding slow workers for ever: after a drop, the worker's next
// update is sent even if it is stale.
class DropGuard {
 public:
  [[nodiscard]] bool may_drop(WorkerId worker) const { return !dropped_.contains(worker); }
  // REQUIRES: may_drop(worker).
  void on_dropped(WorkerId worker);
  void on_accepted(WorkerId worker) { dropped_.erase(worker); }

 private:
  std::set<WorkerId> dropped_;  // The workers whose last update was dropped.
};

}  // namespace surety::fabric
