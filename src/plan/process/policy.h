// The rule that a running job follows between passes; the simulation follows the very same one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "plan/process/run_belief.h"
#include "plan/types.h"

namespace surety::plan {

// Where a run stands after a pass, or before its first.
struct Standing {
  double seconds = 0;       // Since training began.
  double seconds_left = 0;  // To the deadline.
  std::optional<double> money_left = {};
  double metric = 0;                  // The last that was measured.
  std::size_t variant = 0;            // Of the last pass, or of the first to come.
  std::size_t leg = 0;                // Of a fixed schedule.
  std::uint32_t passes_in_leg = 0;    // Done so far.
  const RunBelief* belief = nullptr;  // Where the policy asks for one.
};

enum class Choice : std::uint8_t {
  kGoOn,
  kSwitch,
  kStopMet,
  kStopNoTime,
  kStopNoMoney,
  kStopHopeless
};

struct Move {
  Choice choice = Choice::kGoOn;
  std::size_t variant = 0, leg = 0;  // Of the next pass, unless it stops.

  [[nodiscard]] bool stops() const { return choice != Choice::kGoOn && choice != Choice::kSwitch; }
};

class Policy {
 public:
  virtual ~Policy() = default;
  [[nodiscard]] virtual std::size_t first_variant() const = 0;
  [[nodiscard]] virtual Move next(const Standing& standing) const = 0;
  // The laws that its belief of a run rests on; null: it needs none.
  [[nodiscard]] virtual const Setting* believes_in() const { return nullptr; }
  // What is above is all the same to it.
  [[nodiscard]] virtual double looks_below() const {
    return std::numeric_limits<double>::infinity();
  }
};

struct BlockTime {
  std::size_t variant = 0;
  std::uint32_t passes = 0;
  double pass_s = 0;    // Mean, with its evaluation.
  double switch_s = 0;  // Before its first pass.
  double price_per_s = 0;
};

// Blocks one after the other, whatever is observed, but for the end: stop when the metric is at or
// below a fixed one; when a block's passes are used up go to the next; stop when no time is left
// for another pass and for certifying, or no money for another pass. The last block goes on beyond
// its passes: they say what to expect, not when to give up. Where the next block no longer fits
// into the time but another pass of this one does, it goes on.
class FixedSchedule : public Policy {
 public:
  // REQUIRES: blocks not empty.
  FixedSchedule(std::vector<BlockTime> blocks, double stop_metric, double certify_s);
  FixedSchedule(const Setting& setting, const Schedule& schedule);

  [[nodiscard]] std::size_t first_variant() const override { return blocks_.front().variant; }
  [[nodiscard]] Move next(const Standing& standing) const override;
  [[nodiscard]] double looks_below() const override { return stop_metric_; }

 private:
  std::vector<BlockTime> blocks_;
  double stop_metric_, certify_s_;
};

// The durations that the rule decides by.
[[nodiscard]] std::vector<BlockTime> block_times(const Setting& setting, const Schedule& schedule);

}  // namespace surety::plan
