#include "orchestrator/session/session_chunks.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "base/check.h"
#include "protocol/messages.h"

namespace surety::orchestrator {
namespace {

// The index of a chunk in the session; nothing if the session does not have the chunk.
std::optional<ChunkId> place_of(const std::vector<data::ChunkRange>& chunks, std::uint32_t chunk) {
  const auto at = std::lower_bound(
      chunks.begin(), chunks.end(), chunk,
      [](const data::ChunkRange& range, std::uint32_t id) { return range.id.value < id; });
  if (at == chunks.end() || at->id.value != chunk) return std::nullopt;
  return ChunkId{static_cast<std::uint32_t>(at - chunks.begin())};
}

std::vector<elastic::ChunkSize> sizes_of(const std::vector<data::ChunkRange>& chunks) {
  std::vector<elastic::ChunkSize> sizes;
  for (const data::ChunkRange& range : chunks) {
    sizes.push_back({ChunkId{static_cast<std::uint32_t>(sizes.size())}, range.count, range.bytes});
  }
  return sizes;
}

}  // namespace

SessionChunks::SessionChunks(std::vector<data::ChunkRange> chunks,
                             std::map<std::uint32_t, StateFile> state_files)
    : chunks_(std::move(chunks)),
      state_files_(std::move(state_files)),
      directory_(sizes_of(chunks_)) {
  SURETY_CHECK(!chunks_.empty());
  for (const data::ChunkRange& range : chunks_) samples_ += range.count;
}

void SessionChunks::join(WorkerId worker, const std::vector<std::uint32_t>& chunks_in_memory) {
  joined_.insert(worker);
  directory_.join(worker);
  for (const std::uint32_t chunk : chunks_in_memory) {
    if (const auto dense = place_of(chunks_, chunk)) directory_.has_samples(worker, *dense);
  }
}

bool SessionChunks::leave(WorkerId worker) {
  if (!has_joined(worker)) return false;
  directory_.leave(worker);
  return true;
}

bool SessionChunks::lose(WorkerId worker) {
  if (is_free(worker)) return false;
  directory_.lose(worker);
  return true;
}

bool SessionChunks::is_free(WorkerId worker) const {
  return !has_joined(worker) || directory_.has_departed(worker);
}

void SessionChunks::begin_pass(bool whole) {
  if (directory_.is_pass_finished()) directory_.begin_pass();
  if (whole && directory_.samples_left() < samples_) directory_.cut_pass_short();
}

double SessionChunks::pass_done() const {
  return 1 - static_cast<double>(directory_.samples_left()) / static_cast<double>(samples_);
}

elastic::Boundary SessionChunks::boundary(const elastic::BoundaryPolicy& policy) {
  return directory_.boundary(policy);
}

void SessionChunks::fill(WorkerId worker, const std::vector<elastic::Grant>& grants,
                         proto::Prepare& prepare) const {
  for (const elastic::Grant& grant : grants) {
    const data::ChunkRange& range = range_of(grant.chunk);
    if (grant.to == worker) {
      proto::ChunkGrant& out = *prepare.add_grants();
      *out.mutable_range() = protocol::to_proto(range);
      if (grant.from) out.set_from(grant.from->value);
      const auto file = state_files_.find(range.id.value);
      if (!grant.from && file != state_files_.end()) {
        out.set_state_file(file->second.path);
        out.set_state_checksum(file->second.checksum);
      }
    }
    if (grant.from == worker) {
      proto::HandOver& out = *prepare.add_hand_overs();
      out.set_chunk(range.id.value);
      out.set_to(grant.to.value);
    }
  }
  const std::span<const elastic::ChunkOwner> owners = directory_.owners();
  for (std::size_t i = 0; i < owners.size(); ++i) {
    if (owners[i].state != elastic::Ownership::kOrphan && owners[i].owner == worker) {
      prepare.add_owned(chunks_[i].id.value);
    }
  }
}

bool SessionChunks::read_state(const std::vector<elastic::Grant>& grants) const {
  return std::ranges::any_of(grants, [this](const elastic::Grant& grant) {
    return !grant.from && state_files_.contains(range_of(grant.chunk).id.value);
  });
}

void SessionChunks::confirm(const std::vector<elastic::Grant>& grants) {
  for (const elastic::Grant& grant : grants) directory_.confirm(grant);
}

void SessionChunks::note_saved(const proto::SavedFile& file) {
  for (const std::uint32_t chunk : file.chunks()) {
    state_files_[chunk] = {file.path(), file.checksum()};
  }
}

}  // namespace surety::orchestrator
