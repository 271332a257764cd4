#include "learn/async/merge_turns.h"

#include "base/check.h"

namespace surety::learn {

void MergeTurns::arrive(std::uint32_t steps, bool last) {
  SURETY_CHECK(!last_);
  ++unsent_;
  has_unsent_steps_ = has_unsent_steps_ || steps > 0;
  last_ = last;
}

MergeMove MergeTurns::next(bool answered) const {
  if (under_way_) {
    if (answered) return MergeMove::kAdopt;
    const bool must_wait = last_ || !options_.overlap || unsent_ >= options_.unsent_max;
    return must_wait ? MergeMove::kWait : MergeMove::kLearn;
  }
  return has_unsent_steps_ || dropped_ ? MergeMove::kSend : MergeMove::kLearn;
}

void MergeTurns::send() {
  SURETY_CHECK(!under_way_);
  under_way_ = true;
  dropped_ = false;
  unsent_ = 0;
  has_unsent_steps_ = false;
}

void MergeTurns::adopt(bool dropped) {
  SURETY_CHECK(under_way_);
  under_way_ = false;
  dropped_ = dropped;
}

}  // namespace surety::learn
