// The rule that a running job follows between passes. The simulation uses the same rule.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "plan/decision/run_belief.h"
#include "plan/types.h"

namespace surety::plan {

// The state of a run after a pass, or before its first one.
struct DecisionState {
  double seconds = 0;       // Time since training began.
  double seconds_left = 0;  // Time to the deadline.
  std::optional<double> money_left = {};
  double metric = 0;                // The last measured metric.
  std::size_t variant = 0;          // Variant of the last pass; before any pass, of the first one.
  std::size_t leg = 0;              // Leg of a fixed schedule.
  std::uint32_t passes_in_leg = 0;  // Passes done so far in this leg.
  const RunBelief* belief = nullptr;  // Set if the policy needs a belief.
};

enum class Choice : std::uint8_t {
  kContinue,
  kSwitch,
  kStopMet,
  kStopNoTime,
  kStopNoMoney,
  kStopHopeless
};

struct Move {
  Choice choice = Choice::kContinue;
  std::size_t variant = 0;  // Variant of the next pass, unless the move stops.
  std::size_t leg = 0;      // Leg of the next pass, unless the move stops.

  [[nodiscard]] bool stops() const {
    return choice != Choice::kContinue && choice != Choice::kSwitch;
  }
};

class Policy {
 public:
  virtual ~Policy() = default;
  [[nodiscard]] virtual std::size_t first_variant() const = 0;
  [[nodiscard]] virtual Move next(const DecisionState& state) const = 0;
  // The laws on which its belief about a run rests. Null if it needs no belief.
  [[nodiscard]] virtual const Setting* belief_setting() const { return nullptr; }
  // The policy does not distinguish metrics above this value.
  [[nodiscard]] virtual double indifferent_above() const {
    return std::numeric_limits<double>::infinity();
  }
};

struct BlockTime {
  std::size_t variant = 0;
  std::uint32_t passes = 0;
  double pass_s = 0;    // Mean duration, the evaluation included.
  double switch_s = 0;  // Duration of the switch before its first pass.
  double price_per_s = 0;
};

// Trains blocks one after the other and ignores observations, except at the end. It stops when the
// metric is at or below a fixed one. When the passes of a block are used up, it continues with the
// next block. It stops when the time does not allow another pass and the certification, or the
// money does not allow another pass.
//
// The last block continues beyond its passes, because these describe an expectation, not a limit.
// If the next block does not fit into the time but another pass of this one does, this block
// continues.
class FixedSchedule : public Policy {
 public:
  // REQUIRES: blocks not empty.
  FixedSchedule(std::vector<BlockTime> blocks, double stop_metric, double certify_s);
  FixedSchedule(const Setting& setting, const Schedule& schedule);

  [[nodiscard]] std::size_t first_variant() const override { return blocks_.front().variant; }
  [[nodiscard]] Move next(const DecisionState& state) const override;
  [[nodiscard]] double indifferent_above() const override { return stop_metric_; }

 private:
  std::vector<BlockTime> blocks_;
  double stop_metric_;
  double certify_s_;
};

// The durations on which the rule's decisions are based.
[[nodiscard]] std::vector<BlockTime> block_times(const Setting& setting, const Schedule& schedule);

}  // namespace surety::plan
