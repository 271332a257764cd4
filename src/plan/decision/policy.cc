#include "plan/decision/policy.h"

#include <utility>

#include "base/check.h"
#include "plan/decision/setting_mdp.h"
#include "plan/laws/time_model.h"

namespace surety::plan {

FixedSchedule::FixedSchedule(std::vector<BlockTime> blocks, double stop_metric, double certify_s)
    : blocks_(std::move(blocks)), stop_metric_(stop_metric), certify_s_(certify_s) {
  SURETY_CHECK(!blocks_.empty());
}

FixedSchedule::FixedSchedule(const Setting& setting, const Schedule& schedule)
    : FixedSchedule(block_times(setting, schedule), setting.stop_metric, setting.certify_s) {}

Move FixedSchedule::next(const DecisionState& state) const {
  SURETY_CHECK(state.leg < blocks_.size());
  const BlockTime& here = blocks_[state.leg];
  if (state.metric <= stop_metric_) return {Choice::kStopMet, 0, 0};
  const double left = state.seconds_left - certify_s_;
  const auto affords = [&](const BlockTime& block, double seconds) {
    return !state.money_left || seconds * block.price_per_s <= *state.money_left;
  };
  if (state.passes_in_leg >= here.passes && state.leg + 1 < blocks_.size()) {
    const BlockTime& then = blocks_[state.leg + 1];
    const double seconds = then.switch_s + then.pass_s;
    if (left >= seconds && affords(then, seconds)) {
      return {Choice::kSwitch, then.variant, state.leg + 1};
    }
  }
  if (!(left > 0 && left >= here.pass_s)) return {Choice::kStopNoTime, 0, 0};
  if (!affords(here, here.pass_s)) return {Choice::kStopNoMoney, 0, 0};
  return {Choice::kContinue, here.variant, state.leg};
}

std::vector<BlockTime> block_times(const Setting& setting, const Schedule& schedule) {
  std::vector<BlockTime> times;
  for (std::size_t i = 0; i < schedule.size(); ++i) {
    const Variant& variant = setting.variants[schedule[i].variant];
    BlockTime time;
    time.variant = schedule[i].variant;
    time.passes = schedule[i].passes;
    time.pass_s = pass_duration(setting.laws.versions[variant.version], variant).mean_s();
    time.price_per_s = variant.price_per_s;
    if (i > 0) time.switch_s = switch_seconds(setting, schedule[i - 1].variant, time.variant);
    times.push_back(time);
  }
  return times;
}

}  // namespace surety::plan
