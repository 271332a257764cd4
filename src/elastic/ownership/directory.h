// Records which worker owns each chunk, and how much of each chunk is done in this pass.
//
// Only the coordinator keeps a directory. It combines the workers that take part (presence.h),
// the owner of each chunk (chunk_owners.h) and the work of the current pass (pass_work.h). At each
// boundary between iterations it decides which chunks change their owner. Ownership changes only
// there, and when a worker dies.
//
// Progress changes only by commit(): work of an iteration that was not committed does not count,
// and is done again by any worker.
//
// Everything here is a pure function of the calls made: no clock, no I/O, no randomness.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/ids.h"
#include "elastic/ownership/chunk_owners.h"
#include "elastic/ownership/ownership.h"
#include "elastic/ownership/pass_work.h"
#include "elastic/ownership/placement.h"
#include "elastic/ownership/presence.h"
#include "elastic/ownership/shuffle.h"

namespace surety::elastic {

struct Boundary {
  // Order: orphans, leavers' chunks, moves that fill new workers, moves that balance, moves
  // that shuffle. Each chunk is granted at most once.
  std::vector<Grant> grants;
  std::size_t shuffled = 0;  // Number of grants for shuffling.
  // Workers that stay but have no chunk after this boundary.
  std::set<WorkerId> resting;
  std::string reason;  // The log and tests use it.
};

// The requests of the policies at one boundary.
struct BoundaryPolicy {
  PlacementOptions placement{};
  // Seconds for a sample; 1 for a worker that is not in the map.
  std::map<WorkerId, double> costs{};
  // Workers that stay but must have no chunk for the time being.
  std::set<WorkerId> resting{};
  // If set: workers beyond this number begin to rest (resting.h), within placement.bytes_max.
  std::optional<std::uint32_t> working{};
  // Shuffling is done only if no other chunk has to move.
  std::optional<ShuffleOptions> shuffle{};
  std::uint64_t shuffle_seed = 0;  // Must be different each time.
};

class Directory {
 public:
  // All chunks are orphans at first. REQUIRES: chunks[i].id.value == i.
  explicit Directory(std::vector<ChunkSize> chunks);

  // Membership may change at any time. leave() and lose() do nothing for workers that are not, or
  // no longer, present. join(): the worker takes part from the next boundary(). REQUIRES: an id
  // never used before.
  void join(WorkerId worker);
  // The worker has this chunk's samples, but not its state. If the chunk is an orphan at the next
  // boundary, it stays there as if that worker had owned it. If several workers have it, the last
  // call counts. REQUIRES: the chunk exists; join() was called before.
  void has_samples(WorkerId worker, ChunkId chunk);
  // Graceful leave: the worker's chunks move away with their state at the next boundary. It has
  // departed() when all these grants are confirmed, or at once if it has no chunk. It keeps chunks
  // if no other worker can take them.
  void leave(WorkerId worker);
  // The worker is dead, whether it was leaving or not. Its chunks become orphans and lose their
  // state. Chunks that it was handing over lose their state, but the grants stand. Chunks that it
  // was receiving go back to the holder, or become orphans if there is no holder.
  void lose(WorkerId worker);

  // To be called between iterations: grants orphans and leavers' chunks, and balances samples over
  // workers.
  // REQUIRES: at least one worker is staying and not resting; every grant is confirmed.
  // ENSURES: there is no violation(); after confirm() of every grant each chunk is Owned by a live
  //          worker that is staying and not resting.
  [[nodiscard]] Boundary boundary(const BoundaryPolicy& policy);
  // The receiver has the chunk. A grant that is older or already confirmed is ignored.
  void confirm(const Grant& grant);

  // Work for one iteration: for each worker, at most its quota of the remaining samples of its own
  // chunks. Chunks that the last pass cut short come first, then the order is by chunk id. Workers
  // without remaining samples are not in the map. REQUIRES: every chunk is Owned.
  [[nodiscard]] std::map<WorkerId, std::vector<Work>> work(const Quotas& quotas) const {
    return pass_.work(owners_.all(), quotas);
  }
  // Whether commit() accepts this work: the worker still owns that version of the chunk, and the
  // samples are the next ones.
  [[nodiscard]] bool is_current(WorkerId worker, const Work& work) const;
  // Commits work. REQUIRES: is_current() for each piece. It may be all work that work() returned,
  // only the work of some workers, or only the first part of a worker's work (first_of()). Each
  // piece is committed once.
  void commit(const std::map<WorkerId, std::vector<Work>>& work);

  [[nodiscard]] bool is_pass_finished() const { return samples_left() == 0; }
  void begin_pass() { pass_.begin(); }  // REQUIRES: is_pass_finished().
  // Ends the pass although some samples were not visited in it; their chunks come first in the next
  // one. This is for solvers that accept any local accuracy. Returns the number of samples not
  // visited.
  std::uint64_t cut_pass_short() { return pass_.cut_short(); }

  // Indexed by chunk id.
  [[nodiscard]] std::span<const ChunkOwner> owners() const { return owners_.all(); }
  // The owners with their progress, indexed by chunk id. O(chunks): makes the list.
  [[nodiscard]] std::vector<Entry> entries() const;
  // Live workers, including those that leave, ascending.
  [[nodiscard]] std::vector<WorkerId> workers() const { return presence_.live(); }
  // Number of live workers that are not leaving.
  [[nodiscard]] std::size_t staying() const { return presence_.staying().size(); }
  // Whether the worker has left gracefully and owns no chunk any more.
  [[nodiscard]] bool has_departed(WorkerId worker) const { return presence_.has_departed(worker); }
  // Samples left in the current pass.
  [[nodiscard]] std::uint64_t samples_left() const { return pass_.samples_left(); }

  // The first violation of the invariants of directory_check.h; none if all hold. O(chunks).
  [[nodiscard]] std::optional<std::string> violation() const;

 private:
  std::vector<ChunkSize> chunks_;
  WorkerPresence presence_;
  ChunkOwners owners_;
  PassWork pass_;
};

}  // namespace surety::elastic
