// What a running job does after each pass: it tells what it saw and asks; the plan answers, with
// its reason.
//
// A fold over observations, pure and deterministic: a coordinator that comes back feeds what its
// journal holds and stands where it stood.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "plan/plan.h"
#include "plan/types.h"

namespace surety::plan {

// A pass that ended, with the evaluation after it.
struct PassSeen {
  std::uint32_t block = 0;
  double seconds = 0;                // Since training began, at its end.
  double pass_s = 0;                 // It took, with its evaluation.
  double metric = 0, metric_se = 0;  // Deciding split; accuracy as 1 - accuracy.
};

struct Moment {
  double seconds = 0;       // Since training began.
  double seconds_left = 0;  // To the deadline.
  std::optional<double> money_left = {};
};

struct GoOn {};
struct SwitchTo {
  std::uint32_t block = 0;
};
struct Stop {
  bool target_met = false;
};
struct Step {
  std::variant<GoOn, SwitchTo, Stop> action;
  std::string reason;
  bool notable = false;  // Something that one wants to know of, though it goes on.
};

class Controller {
 public:
  // REQUIRES: plan.blocks is not empty. O(one sweep of the decision process per class of the run
  // effect) for a closed-loop plan, else O(1). Reasons give values of `metric` as the user states
  // it.
  explicit Controller(Plan plan, Metric metric = Metric::kValidationLoss);
  ~Controller();
  Controller(Controller&&) noexcept;
  Controller& operator=(Controller&&) noexcept;

  // REQUIRES: seen.block < plan.blocks.size(); in order of time.
  void saw(const PassSeen& seen);

  // REQUIRES: saw() at least once, unless nothing was trained yet: then it answers GoOn.
  [[nodiscard]] Step next(const Moment& now) const;

  // What the controller has changed its mind about since it was asked last, for the log: a drift
  // alarm and what followed from it. Empty: nothing.
  [[nodiscard]] std::string take_remark();

  [[nodiscard]] std::uint32_t block() const;  // Of the last pass, or the first block.

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// Is the metric above what 95 % of the simulated runs had by then?
[[nodiscard]] bool is_behind(const Plan& plan, double seconds, double metric);

}  // namespace surety::plan
