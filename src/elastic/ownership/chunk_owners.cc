#include "elastic/ownership/chunk_owners.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace surety::elastic {

void ChunkOwners::has_samples(WorkerId worker, ChunkId chunk) {
  SURETY_CHECK(chunk.value < owners_.size());
  sample_holders_[chunk] = worker;
}

Grant ChunkOwners::grant(ChunkId chunk, WorkerId to) {
  ChunkOwner& entry = owners_[chunk.value];
  SURETY_CHECK(entry.state != Ownership::kHanding);
  if (entry.state == Ownership::kOwned) entry.holder = entry.owner;
  sample_holders_.erase(chunk);
  entry.state = Ownership::kHanding;
  entry.owner = to;
  ++entry.version;
  return {.chunk = chunk, .version = entry.version, .to = to, .from = entry.holder};
}

std::optional<WorkerId> ChunkOwners::confirm(const Grant& grant) {
  SURETY_CHECK(grant.chunk.value < owners_.size());
  ChunkOwner& entry = owners_[grant.chunk.value];
  SURETY_CHECK(grant.version <= entry.version);
  if (grant.version < entry.version || entry.state != Ownership::kHanding) return std::nullopt;
  SURETY_CHECK(entry.owner == grant.to);
  entry.state = Ownership::kOwned;
  return std::exchange(entry.holder, std::nullopt);
}

void ChunkOwners::lose(WorkerId worker) {
  for (ChunkOwner& entry : owners_) {
    if (entry.state == Ownership::kOwned && entry.owner == worker) {
      entry.state = Ownership::kOrphan;
      ++entry.version;
    } else if (entry.state == Ownership::kHanding && entry.owner == worker) {
      // The holder's frozen copy is still current: nothing was committed since the grant.
      entry.state = entry.holder ? Ownership::kOwned : Ownership::kOrphan;
      if (entry.holder) entry.owner = *entry.holder;
      entry.holder.reset();
      ++entry.version;
    } else if (entry.holder == worker) {
      entry.holder.reset();
    }
  }
}

std::optional<WorkerId> ChunkOwners::place_of(ChunkId chunk) const {
  const ChunkOwner& entry = owners_[chunk.value];
  SURETY_CHECK(entry.state != Ownership::kHanding);
  if (entry.state == Ownership::kOwned) return entry.owner;
  const auto holder = sample_holders_.find(chunk);
  return holder == sample_holders_.end() ? std::nullopt : std::optional(holder->second);
}

bool ChunkOwners::has_any(WorkerId worker) const {
  return std::any_of(owners_.begin(), owners_.end(), [worker](const ChunkOwner& entry) {
    const bool owns = entry.state != Ownership::kOrphan && entry.owner == worker;
    return owns || entry.holder == worker;
  });
}

}  // namespace surety::elastic
