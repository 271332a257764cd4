#include "plan/policy.h"

#include "base/check.h"

namespace surety::plan {

Choice choose(std::span<const BlockTime> blocks, const Standing& standing) {
  SURETY_CHECK(standing.block < blocks.size());
  if (standing.metric <= standing.stop_metric) return Choice::kStopMet;
  const double left = standing.seconds_left - standing.certify_s;
  const BlockTime& here = blocks[standing.block];
  if (standing.pass_in_block >= here.passes && standing.block + 1 < blocks.size()) {
    const BlockTime& next = blocks[standing.block + 1];
    if (left >= next.switch_s + next.pass_s) return Choice::kSwitch;
  }
  return left > 0 && left >= here.pass_s ? Choice::kGoOn : Choice::kStopNoTime;
}

}  // namespace surety::plan
