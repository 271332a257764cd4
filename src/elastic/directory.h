// Who owns which chunk, and how far each chunk is in this pass.
//
// The coordinator alone keeps a directory. Ownership changes only at a boundary between iterations;
// every change raises the chunk's version, and whoever speaks about an older version is ignored.
// Progress changes only by commit(): what a worker did in an iteration that was not committed did
// not happen, whoever does it again.
//
//   Orphan  -> Handing  boundary() granted it; nobody holds its state, it is read from its source
//   Owned   -> Handing  boundary() granted it; the old owner is the holder and keeps a frozen copy
//   Owned   -> Orphan   the owner died
//   Handing -> Owned    the receiver confirmed; or it died and the holder has it again
//   Handing -> Handing  the holder died: the grant stands, the state is lost
//   Handing -> Orphan   the receiver died, and nobody holds the state
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
#include "elastic/ownership.h"
#include "elastic/placement.h"
#include "elastic/shuffle.h"

namespace surety::elastic {

struct Boundary {
  std::vector<Grant> grants;   // Orphans first, then leavers' chunks, then moves that fill new
                               // workers, then moves that balance, then those that shuffle; each
                               // chunk at most once.
  std::size_t shuffled = 0;    // Of these, for shuffling.
  std::set<WorkerId> resting;  // Who has no chunk after it, though it stays.
  std::string reason;          // For the log and for tests.
};

using DirectoryOptions = PlacementOptions;

// What the policies say about one boundary.
struct BoundaryPolicy {
  PlacementOptions placement{};
  std::map<WorkerId, double> costs{};  // Seconds for a sample; absent: 1.
  std::set<WorkerId> resting{};        // Stay, but have no chunk for the time being.
  std::uint32_t working = 0;           // Where not 0: more than these begin to rest (resting.h),
                                       // by placement.bytes_max.
  std::optional<ShuffleOptions> shuffle{};  // Only where nothing else has to move.
  std::uint64_t shuffle_seed = 0;           // Another one each time.
};

class Directory {
 public:
  // All chunks are orphans at first. REQUIRES: chunks[i].id.value == i.
  Directory(std::vector<ChunkSize> chunks, DirectoryOptions options);

  // Membership, at any time; for workers that are not here (any more) leave() and lose() do
  // nothing. join(): takes part from the next boundary(). REQUIRES: an id never used before.
  void join(WorkerId worker);
  // It has this chunk's samples, though not its state: where the chunk is an orphan at the next
  // boundary, it stays there as if it had been owned. The last one that says so counts.
  // REQUIRES: such a chunk; join() before.
  void has_samples(WorkerId worker, ChunkId chunk);
  // Polite: its chunks move away at the next boundary with their state; once all of these grants
  // are confirmed (at once if it has no chunk) it has departed(). It keeps what nobody else can
  // take.
  void leave(WorkerId worker);
  // Dead, leaving or not: its chunks are orphans and have lost their state; so have hand-overs from
  // it, whose grants stand; hand-overs to it go back to the holder, or are orphans if there is
  // none.
  void lose(WorkerId worker);

  // Between iterations: hands out orphans and leavers' chunks, balances samples over workers.
  // REQUIRES: somebody is staying and not resting; no grant still unconfirmed.
  // ENSURES: after confirm() of every grant each chunk is Owned by a live worker that is staying
  //          and not resting.
  [[nodiscard]] Boundary boundary(const BoundaryPolicy& policy);
  [[nodiscard]] Boundary boundary() { return boundary({.placement = options_}); }
  // The receiver has the chunk; state_lost: without its state, as the sender died. Where the
  // directory knows of that death already, the state is lost whatever the receiver says: it starts
  // from zero. A grant of an older version, or confirmed before, is ignored.
  void confirm(const Grant& grant, bool state_lost);
  // Grants not yet confirmed, as they stand now: without `from` once the sender has died.
  [[nodiscard]] std::vector<Grant> pending() const;

  // Work for one iteration: at most `quota` samples of its own unfinished chunks for each worker,
  // first those that the last pass has cut short, then by chunk id; workers with nothing left are
  // absent. By worker: who is absent in `quotas` gets nothing.
  // REQUIRES: every chunk Owned; quota > 0.
  [[nodiscard]] std::map<WorkerId, std::vector<Work>> work(std::uint32_t quota) const;
  [[nodiscard]] std::map<WorkerId, std::vector<Work>> work(
      const std::map<WorkerId, std::uint32_t>& quotas) const;
  // Whether commit() may take this: the worker still owns that version and the samples are next.
  [[nodiscard]] bool is_current(WorkerId worker, const Work& work) const;
  // All of it happened. REQUIRES: is_current() for each; as work() gave it, or only some workers of
  // it, or only a part of a worker's (first_of()); once.
  void commit(const std::map<WorkerId, std::vector<Work>>& work);

  [[nodiscard]] bool pass_finished() const { return samples_left() == 0; }
  void begin_pass();  // REQUIRES: pass_finished().
  // The pass ends with samples that nobody has visited in it; their chunks come first in the next
  // one. For solvers that accept any local accuracy. Returns how many samples that are.
  std::uint64_t cut_pass_short();

  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
  [[nodiscard]] std::vector<WorkerId> workers() const;  // Live (leaving ones included), ascending.
  [[nodiscard]] std::size_t staying() const;            // How many of these are not leaving.
  [[nodiscard]] bool departed(WorkerId worker) const;   // Left politely and owns nothing any more.
  [[nodiscard]] std::uint64_t samples_left() const;     // In this pass.

  // The invariants of directory_check.h; empty when all hold, else what is wrong.
  [[nodiscard]] std::string violation() const;

 private:
  // kStaying -> kLeaving -> kDeparted; kStaying -> kDeparted (no chunk); kStaying, kLeaving ->
  // kLost.
  enum class Presence : std::uint8_t { kStaying, kLeaving, kDeparted, kLost };

  [[nodiscard]] bool is(WorkerId worker, Presence presence) const;
  [[nodiscard]] bool is_live(WorkerId worker) const;
  [[nodiscard]] std::set<WorkerId> resting(const BoundaryPolicy& policy) const;
  [[nodiscard]] std::optional<WorkerId> place_of(ChunkId chunk,
                                                 const std::set<WorkerId>& resting) const;
  [[nodiscard]] std::vector<Piece> pieces(const std::set<WorkerId>& resting) const;
  void keep_homes(const std::vector<Piece>& pieces, Placement& placement) const;
  void depart_if_empty(WorkerId worker);
  Grant grant(const Placed& placed);
  [[nodiscard]] std::vector<std::size_t> visiting_order() const;

  std::vector<ChunkSize> chunks_;
  DirectoryOptions options_;
  std::vector<Entry> entries_;  // By chunk id.
  // Who has an orphan's samples; has_samples() adds, a grant removes.
  std::map<ChunkId, WorkerId> homes_;
  std::map<WorkerId, Presence> workers_;  // join() adds; nobody removes, as ids are not used again.
};

}  // namespace surety::elastic
