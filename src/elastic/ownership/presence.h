// Records which workers take part in a session, and which of them are leaving.
//
//   -> Staying              join()
//   Staying -> Leaving      leave(): it still has chunks, which move away at the next boundary
//   Leaving -> Departed     has_no_chunk(): it left gracefully
//   Staying -> Lost, Leaving -> Lost    lose(): it is dead
//
// A worker is live while it is Staying or Leaving. Departed and Lost are final, because ids are
// never used again.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/ids.h"

namespace surety::elastic {

class WorkerPresence {
 public:
  void join(WorkerId worker);  // REQUIRES: an id never used before.
  // Does nothing for a worker that is not Staying.
  void leave(WorkerId worker);
  // Does nothing for a worker that is not Leaving.
  void has_no_chunk(WorkerId worker);
  // Returns whether the worker was live; otherwise nothing changes.
  bool lose(WorkerId worker);

  [[nodiscard]] bool has_joined(WorkerId worker) const { return workers_.contains(worker); }
  [[nodiscard]] bool has_departed(WorkerId worker) const { return is(worker, Presence::kDeparted); }
  // Each list is ascending. O(workers that ever joined).
  [[nodiscard]] std::vector<WorkerId> staying() const { return all_that_are(Presence::kStaying); }
  [[nodiscard]] std::vector<WorkerId> leaving() const { return all_that_are(Presence::kLeaving); }
  [[nodiscard]] std::vector<WorkerId> live() const;

 private:
  enum class Presence : std::uint8_t { kStaying, kLeaving, kDeparted, kLost };

  [[nodiscard]] bool is(WorkerId worker, Presence presence) const;
  [[nodiscard]] std::vector<WorkerId> all_that_are(Presence presence) const;

  std::map<WorkerId, Presence> workers_;  // join() adds; entries are never removed.
};

}  // namespace surety::elastic
