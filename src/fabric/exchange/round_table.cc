#include "fabric/exchange/round_table.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/check.h"

namespace surety::fabric {
namespace {

// Marks the round as acknowledged. Returns false if it needs no acknowledgement any more.
bool acknowledge(RoundWork& work) {
  return work.is_recipient() && !std::exchange(work.is_acknowledged, true);
}

}  // namespace

Result<void> RoundTable::begin(RoundShape shape, RoundWork::Vector update,
                               RoundWork::Vector pulled) {
  SURETY_CHECK(shape.round > newest_);
  newest_ = shape.round;
  auto& work = rounds_[newest_];
  work = std::make_unique<RoundWork>(std::move(shape), options_, self_, std::move(update),
                                     std::move(pulled));
  while (!early_.empty() && early_.begin()->first <= newest_) {
    auto entry = early_.extract(early_.begin());
    for (DataPiece& piece : entry.mapped()) {
      early_bytes_ -= piece.values.size();
      if (entry.key() == newest_) SURETY_TRY(pass(*work, std::move(piece)));
    }
  }
  return {};
}

Result<bool> RoundTable::receive(DataPiece piece) {
  if (piece.address.round > newest_) {
    SURETY_TRY(keep_early(std::move(piece)));
    return false;
  }
  const auto at = rounds_.find(piece.address.round);
  if (at == rounds_.end()) return false;
  SURETY_TRY(pass(*at->second, std::move(piece)));
  return true;
}

Result<void> RoundTable::keep_early(DataPiece piece) {
  early_bytes_ += piece.values.size();
  // At most two rounds in each direction are under way, each with at most one block of every
  // worker; and each block may be moved.
  const std::uint64_t block_bytes = (options_.elements / options_.blocks + 1) * sizeof(float);
  if (early_bytes_ > block_bytes * (8 * options_.workers.size() + options_.blocks)) {
    return fail(
        ErrorCode::kCorrupt,
        "exchange: {} bytes arrived before they were granted, the last of them from worker {}",
        early_bytes_, piece.from);
  }
  early_[piece.address.round].push_back(std::move(piece));
  return {};
}

Result<void> RoundTable::pass(RoundWork& work, DataPiece piece) {
  const auto taken = work.receive(piece.from, piece.address, std::move(piece.values));
  // Data that the round does not expect is ignored.
  if (!taken && taken.error().code == ErrorCode::kInvalidInput) return {};
  return taken;
}

// Whether all earlier rounds of the block have made their changes to the model here, except the
// pushes that this round does not wait for.
bool RoundTable::may_read(const RoundShape& shape) const {
  return std::none_of(rounds_.begin(), rounds_.lower_bound(shape.round), [&](const auto& earlier) {
    const RoundShape& before = earlier.second->shape();
    return earlier.second->writes_model() && before.block == shape.block &&
           (before.kind != RoundKind::kPush ||
            std::ranges::find(shape.without, before.round) == shape.without.end());
  });
}

// Whether all earlier moves of the block to this worker are applied. Pushes of a block may be added
// in any order, but only to values that this worker has.
bool RoundTable::may_apply(const RoundShape& shape) const {
  return std::none_of(rounds_.begin(), rounds_.lower_bound(shape.round), [&](const auto& earlier) {
    return earlier.second->writes_model() && earlier.second->shape().block == shape.block &&
           earlier.second->shape().kind == RoundKind::kMove;
  });
}

Result<std::optional<RoundTable::Finished>> RoundTable::finish_next(std::span<float> model) {
  for (auto at = rounds_.begin(); at != rounds_.end(); ++at) {
    RoundWork& work = *at->second;
    const RoundShape& shape = work.shape();
    if (work.needs_snapshot() && may_read(shape)) {
      SURETY_TRY(work.take_snapshot(model));
    }
    if (!work.finished() || (work.writes_model() && !may_apply(shape))) continue;
    Finished finished{.round = shape.round};
    if (work.is_pull() && work.is_member()) finished.pulled = shape.block;
    if (!work.is_pull()) work.apply(model);
    finished.acknowledge = acknowledge(work);
    rounds_.erase(at);
    return finished;
  }
  return std::nullopt;
}

// In each direction, the oldest round of the fastest class that we receive is acknowledged early,
// so that two rounds are under way: a third one is granted when the first one has finished. For
// slow rounds this would bring no gain, and pulls would have to wait for them.
std::vector<RoundId> RoundTable::acknowledge_early() {
  std::vector<RoundId> acknowledged;
  std::set<RoundKind> seen;
  for (const auto& [id, work] : rounds_) {
    const RoundShape& shape = work->shape();
    if (shape.speed_class != 0 || !work->is_recipient() || !seen.insert(shape.kind).second) {
      continue;
    }
    if (acknowledge(*work)) acknowledged.push_back(id);
  }
  return acknowledged;
}

std::optional<RoundTable::Send> RoundTable::next_send(WorkerId to) {
  // Fast rounds are first, because others wait for our part in them, and our part in a slow round
  // can wait.
  std::vector<RoundWork*> by_class;
  for (const auto& [id, work] : rounds_) by_class.push_back(work.get());
  std::ranges::stable_sort(by_class, {},
                           [](const RoundWork* work) { return work->shape().speed_class; });
  for (RoundWork* work : by_class) {
    if (const auto piece = work->next_send(to)) {
      return Send{.bytes = encode_data(piece->address, piece->bytes), .finishes = work->finished()};
    }
  }
  return std::nullopt;
}

void RoundTable::add_destinations(std::vector<WorkerId>& workers) const {
  for (const auto& [id, work] : rounds_) work->add_destinations(workers);
}

}  // namespace surety::fabric
