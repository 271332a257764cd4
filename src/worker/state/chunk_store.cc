#include "worker/state/chunk_store.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/check.h"
#include "proto/surety.pb.h"
#include "protocol/messages.h"

namespace surety::worker {

std::vector<ChunkId> ChunkStore::ids() const {
  std::vector<ChunkId> ids;
  for (const auto* held : {&own_, &handed_over_}) {
    for (const auto& [id, chunk] : *held) ids.push_back(id);
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

void ChunkStore::add(data::Chunk chunk) {
  // An assignment would move the chunk out of its memory resource.
  const ChunkId id = chunk.range.id;
  own_.emplace(id, std::move(chunk));
}

void ChunkStore::set_state(ChunkId chunk, std::vector<float> values) {
  own_.at(chunk).state = std::move(values);
}

void ChunkStore::clear() {
  own_.clear();
  handed_over_.clear();
}

void ChunkStore::take_back() {
  own_.merge(handed_over_);
  handed_over_.clear();
}

void ChunkStore::forget_states() {
  for (auto& [id, chunk] : own_) chunk.state.clear();
}

void ChunkStore::free(const proto::Prepare& order) {
  std::set<ChunkId> kept;
  for (const std::uint32_t id : order.owned()) kept.insert(ChunkId{id});
  for (const proto::HandOver& out : order.hand_overs()) kept.insert(ChunkId{out.chunk()});
  std::erase_if(own_, [&](const auto& entry) { return !kept.contains(entry.first); });
}

std::vector<data::ChunkRange> ChunkStore::missing(const proto::Prepare& order) const {
  std::vector<data::ChunkRange> missing;
  for (const proto::ChunkGrant& grant : order.grants()) {
    if (own_.contains(ChunkId{grant.range().id()})) continue;
    missing.push_back(protocol::from_proto(grant.range()));
  }
  std::sort(missing.begin(), missing.end(),
            [](const auto& a, const auto& b) { return a.id < b.id; });
  return missing;
}

Result<void> ChunkStore::check(const proto::Prepare& order) const {
  std::set<ChunkId> out;
  for (const proto::HandOver& one : order.hand_overs()) {
    const ChunkId chunk{one.chunk()};
    if (!own_.contains(chunk)) {
      return fail(ErrorCode::kDefect,
                  "the command hands over chunk {}, which this worker does not hold; this is an "
                  "error of the coordinator's program",
                  chunk);
    }
    if (!out.insert(chunk).second) {
      return fail(
          ErrorCode::kDefect,
          "the command hands over chunk {} twice; this is an error of the coordinator's program",
          chunk);
    }
  }
  return {};
}

void ChunkStore::hand_over(const proto::Prepare& order) {
  for (const proto::HandOver& out : order.hand_overs()) {
    auto chunk = own_.extract(ChunkId{out.chunk()});
    SURETY_CHECK(!chunk.empty());
    handed_over_.insert(std::move(chunk));
  }
}

}  // namespace surety::worker
