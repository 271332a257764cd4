// The decisions of a running job after each pass. The job reports what it observed and asks for the
// next step; the plan determines the answer and its reason.
//
// The controller is a pure and deterministic fold over observations. A restarted coordinator feeds
// it the observations of its journal and gets the same state.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "plan/plan.h"
#include "plan/types.h"

namespace surety::plan {

// A pass that ended, together with its evaluation.
struct PassSeen {
  std::uint32_t block = 0;
  double seconds = 0;    // Time since training began, at the end of the pass.
  double pass_s = 0;     // Duration of the pass with its evaluation.
  double metric = 0;     // Metric on the deciding split; accuracy as 1 - accuracy.
  double metric_se = 0;  // Its standard error.
};

struct Moment {
  double seconds = 0;       // Time since training began.
  double seconds_left = 0;  // Time to the deadline.
  std::optional<double> money_left = {};
};

struct Continue {};
struct SwitchTo {
  std::uint32_t block = 0;
};
struct Stop {
  bool target_met = false;
};
struct Step {
  std::variant<Continue, SwitchTo, Stop> action;
  std::string reason;
  bool is_notable = false;  // Whether the step is logged although training continues.
};

class Controller {
 public:
  // REQUIRES: plan.blocks is not empty; a plan with a policy has claims.
  // O(one sweep of the decision process for each class of the run effect) for a closed-loop plan,
  // else O(1). Reasons contain values of `metric` as the user states it.
  explicit Controller(Plan plan, Metric metric = Metric::kValidationLoss);
  ~Controller();
  Controller(Controller&&) noexcept;
  Controller& operator=(Controller&&) noexcept;

  // REQUIRES: seen.block < plan.blocks.size(); calls in order of time.
  void observe(const PassSeen& seen);

  // REQUIRES: observe() was called at least once. If nothing was trained yet, the result is
  // Continue.
  [[nodiscard]] Step next(const Moment& now) const;

  // Text for the log: a drift alarm since the last call and its consequence.
  [[nodiscard]] std::optional<std::string> take_remark();

  [[nodiscard]] std::uint32_t block() const;  // Block of the last pass, or the first block.

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// Whether the metric is above what 95 % of the simulated runs had at that time. False if no runs
// were simulated.
[[nodiscard]] bool is_behind(const Plan& plan, double seconds, double metric);

}  // namespace surety::plan
