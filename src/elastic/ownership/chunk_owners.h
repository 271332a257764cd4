// Records which worker owns each chunk, and which worker holds the chunk's state during a
// hand-over.
//
// Each chunk has one owner, or one receiver, or is an orphan. Every change raises the chunk's
// version, so that messages about an older version can be recognised and ignored.
//
//   Orphan  -> Handing  grant(); no worker has its state, it is read from its source
//   Owned   -> Handing  grant(); the old owner is the holder and keeps a frozen copy
//   Owned   -> Orphan   lose() of the owner
//   Handing -> Owned    confirm(); or lose() of the receiver, and the holder owns it again
//   Handing -> Handing  lose() of the holder: the grant stands, the state is lost
//   Handing -> Orphan   lose() of the receiver, and there is no holder
//
// It does not know which workers are live: the caller reports each death once, by lose(), and
// grants no chunk to a dead worker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "base/ids.h"
#include "elastic/ownership/ownership.h"

namespace surety::elastic {

struct ChunkOwner {
  Ownership state = Ownership::kOrphan;
  // kOwned: the owner. kHanding: the receiver. kOrphan: the last owner or receiver (meaningless at
  // version 0).
  WorkerId owner{};
  // kHanding: the worker that still has samples and state, if any.
  std::optional<WorkerId> holder{};
  // Raised at every grant, at every reclaim and when an owner dies.
  std::uint32_t version = 0;
};

class ChunkOwners {
 public:
  explicit ChunkOwners(std::size_t chunks) : owners_(chunks) {}  // All are orphans at first.

  // The worker has the samples of this chunk, but not its state. The last call is valid until the
  // next grant of the chunk. REQUIRES: the chunk exists.
  void has_samples(WorkerId worker, ChunkId chunk);
  // REQUIRES: the chunk is not in hand-over; `to` does not own it.
  Grant grant(ChunkId chunk, WorkerId to);
  // The receiver has the chunk. A grant that is older or already confirmed is ignored. Returns the
  // sender, which need not keep its copy any longer, if there is one and it is live.
  std::optional<WorkerId> confirm(const Grant& grant);
  // The worker is dead: it no longer owns, receives or holds any chunk. O(chunks).
  void lose(WorkerId worker);

  // The worker that has the chunk's samples: its owner, or for an orphan the worker of the last
  // has_samples(), which may be dead. REQUIRES: the chunk is not in hand-over.
  [[nodiscard]] std::optional<WorkerId> place_of(ChunkId chunk) const;
  // Whether the worker owns, receives or holds a chunk. O(chunks).
  [[nodiscard]] bool has_any(WorkerId worker) const;
  // Indexed by chunk id.
  [[nodiscard]] std::span<const ChunkOwner> all() const { return owners_; }

 private:
  std::vector<ChunkOwner> owners_;
  std::map<ChunkId, WorkerId> sample_holders_;
};

}  // namespace surety::elastic
