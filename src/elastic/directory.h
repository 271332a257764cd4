// Who owns which chunk, and how far each chunk is in this pass.
//
// The coordinator alone keeps a directory. Ownership changes only at a boundary between iterations;
// every change raises the chunk's version, and whoever speaks about an older version is ignored.
// Progress changes only by commit(): what a worker did in an iteration that was not committed did
// not happen, whoever does it again.
//
//   Owned -> Handing (move decided; the old owner keeps a frozen copy) -> Owned (new owner committed)
//   Owned or Handing -> Orphan (holder of the state died) -> Owned (re-read from its source)
//
// Everything here is a pure function of the calls made: no clock, no I/O, no randomness.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"

namespace surety::elastic {

struct ChunkSize {
  ChunkId id;  // Dense from 0: id.value is its place.
  std::uint32_t samples = 0;
  std::uint64_t bytes = 0;
};

enum class Ownership : std::uint8_t { kOwned, kHanding, kOrphan };

struct Entry {
  Ownership state = Ownership::kOrphan;
  WorkerId owner;                    // kOwned: the owner; kHanding: who receives; kOrphan: who had it.
  std::optional<WorkerId> holder;    // kHanding: who still has samples and state.
  std::uint32_t version = 0;         // Raised at every change of hands.
  std::uint32_t samples_done = 0;    // Committed in this pass.
  bool state_lost = false;           // Its per-sample state starts again from zero.
};

// A chunk changes hands at this boundary.
struct Grant {
  ChunkId chunk;
  std::uint32_t version = 0;
  WorkerId to;
  std::optional<WorkerId> from;  // Has the per-sample state; none: read the samples, state is zero.
  friend bool operator==(const Grant&, const Grant&) = default;
};

// Samples of one chunk for one worker in one iteration.
struct Work {
  ChunkId chunk;
  std::uint32_t version = 0;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  friend bool operator==(const Work&, const Work&) = default;
};

struct Boundary {
  std::vector<Grant> grants;  // Orphans first, then moves that balance; each chunk at most once.
  std::string reason;         // For the log and for tests.
};

struct DirectoryOptions {
  std::uint32_t moves_max = 8;  // Balancing moves per boundary; orphans do not count, nor does a
                                // worker that has no chunk yet (it gets its share at once).
};

class Directory {
 public:
  // All chunks are orphans at first.
  Directory(std::vector<ChunkSize> chunks, DirectoryOptions options);

  // Membership, at any time. A joiner takes part from the next boundary(). leave(): polite, its
  // chunks move away at the next boundary with their state, and then departed() is true. lose():
  // dead, its chunks are orphans; hand-overs from it lose their state, hand-overs to it go back to
  // the holder.
  void join(WorkerId worker);
  void leave(WorkerId worker);
  void lose(WorkerId worker);

  // Between iterations: hands out orphans and leavers' chunks, balances samples over workers.
  // REQUIRES: at least one live worker that is not leaving, no grant still unconfirmed.
  // ENSURES: after confirm() of every grant each chunk is Owned by a live worker.
  [[nodiscard]] Boundary boundary();
  // The receiver has the chunk (or the sender died and it was re-read: state_lost).
  void confirm(const Grant& grant, bool state_lost);

  // Work for one iteration: at most `quota` samples of its own unfinished chunks for each worker,
  // lowest chunk id first; workers with nothing left are absent.
  // REQUIRES: every chunk Owned.
  [[nodiscard]] std::map<WorkerId, std::vector<Work>> work(std::uint32_t quota) const;
  // All of it happened. REQUIRES: as work() gave it, of the same versions, once.
  void commit(const std::map<WorkerId, std::vector<Work>>& work);

  [[nodiscard]] bool pass_finished() const;
  void begin_pass();  // REQUIRES: pass_finished().

  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
  [[nodiscard]] std::vector<WorkerId> workers() const;  // Live (leaving ones included), ascending.
  [[nodiscard]] bool departed(WorkerId worker) const;   // Left politely and owns nothing any more.
  [[nodiscard]] std::uint64_t samples_left() const;     // In this pass.

  // The invariants of the header, checked from scratch; empty when all hold, else what is wrong.
  [[nodiscard]] std::string violation() const;

 private:
  enum class Presence : std::uint8_t { kLive, kLeaving };
  std::vector<ChunkSize> chunks_;
  DirectoryOptions options_;
  std::vector<Entry> entries_;
  std::map<WorkerId, Presence> workers_;  // join() adds; lose() and departure remove.
};

}  // namespace surety::elastic
