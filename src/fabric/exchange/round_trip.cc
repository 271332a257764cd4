#include "fabric/exchange/round_trip.h"

#include <memory>
#include <utility>

#include "base/check.h"
#include "fabric/allreduce/reduce.h"

namespace surety::fabric {

RoundTrip::RoundTrip(const ExchangeOptions& options)
    : options_(options), pulling_(std::make_shared<std::vector<float>>(options.elements)) {}

Result<UpdateNumber> RoundTrip::begin(std::vector<float> update) {
  SURETY_CHECK(idle() && !is_retired_ && update.size() == options_.elements);
  if (!all_finite(update)) {
    return fail(ErrorCode::kDiverged, "an update has a value that is not finite");
  }
  update_ = Update{.number = ++updates_,
                   .under_way = all_blocks(options_.blocks),
                   .values = std::make_shared<std::vector<float>>(std::move(update))};
  return updates_;
}

void RoundTrip::retire() {
  SURETY_CHECK(idle() && !is_retired_);
  is_retired_ = true;
}

std::optional<RoundTrip::Pulled> RoundTrip::take_pulled() { return std::exchange(pulled_, {}); }

Result<void> RoundTrip::join(const RoundShape& shape) {
  const BlockMask block = block_bit(shape.block);
  if (shape.kind == RoundKind::kPush) {
    if (!update_ || (update_->under_way & block) == 0) {
      return fail(ErrorCode::kCorrupt, "exchange: round {}: this worker has no block {} to push",
                  shape.round, shape.block);
    }
    update_->under_way &= ~block;
    return {};
  }
  if (!(update_ || is_retired_) || (pulled_blocks_ & block) != 0) {
    return fail(ErrorCode::kCorrupt, "exchange: round {}: this worker does not wait for block {}",
                shape.round, shape.block);
  }
  return {};
}

Result<void> RoundTrip::drop(UpdateNumber update, BlockMask blocks) {
  if (!update_ || update != update_->number || (blocks & ~update_->under_way) != 0) {
    return fail(ErrorCode::kCorrupt, "exchange: blocks {:#x} of update {} cannot be dropped",
                blocks, update);
  }
  update_->under_way &= ~blocks;
  update_->dropped |= blocks;
  return {};
}

void RoundTrip::add_pulled(std::uint32_t block) { pulled_blocks_ |= block_bit(block); }

void RoundTrip::end_pull() {
  if (pulled_blocks_ != all_blocks(options_.blocks)) return;
  pulled_blocks_ = 0;
  ++pulls_;
  if (!update_) {
    has_last_ = true;  // We have retired, so this is the last model.
    return;
  }
  Pulled pulled{.model = std::move(*pulling_), .dropped = {}};
  for (std::uint32_t b = 0; b < options_.blocks; ++b) {
    if ((update_->dropped & block_bit(b)) == 0) continue;
    pulled.dropped.push_back(block_of(options_, b));
  }
  update_.reset();
  pulled_ = std::move(pulled);
  pulling_ = std::make_shared<std::vector<float>>(options_.elements);
}

}  // namespace surety::fabric
