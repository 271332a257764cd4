// The default policy of Surety: after every pass it takes the action that is cheapest in
// expectation, given the metric, the time and the belief about this run.
//
// The run effect is not observed. For each of a few classes of it the decision process is solved
// (plan/decision/cmdp.h). The policy takes the action with the best mean over the classes, weighted
// by the belief. This is QMDP of Littman et al. 1995, which acts as if the class were known from
// the next pass on. Because every action brings information here, this loses little. Values are
// interpolated between levels and ticks, so the grid has little influence.
//
// The value of a success, lambda, is constant during a run. A policy that must reach the promised
// probability again from every state would make a different promise, which cannot be kept after
// some unlucky passes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "plan/decision/cmdp.h"
#include "plan/decision/policy.h"
#include "plan/decision/setting_mdp.h"
#include "plan/inline_vector.h"

namespace surety::plan {

struct ClosedLoopOptions {
  MdpOptions grid;
  std::uint32_t classes = 5;  // Classes of the run effect.
  MaskOptions mask;
};

// The part that does not depend on lambda: the decision processes, and the success that can be
// reached.
class ClosedLoopModel {
 public:
  // O(classes * one backward sweep).
  ClosedLoopModel(const Setting& setting, const ClosedLoopOptions& options);

  [[nodiscard]] const Setting& setting() const { return setting_; }
  [[nodiscard]] const ClosedLoopOptions& options() const { return options_; }
  [[nodiscard]] const std::vector<RunClass>& classes() const { return classes_; }
  // Number of classes with the same stuck quantile; there are as many with every other quantile.
  [[nodiscard]] std::size_t effects() const { return effects_; }
  [[nodiscard]] const std::vector<double>& levels() const { return levels_; }
  // Indexed by class, as is in_reach().
  [[nodiscard]] const std::vector<Mdp>& processes() const { return processes_; }
  [[nodiscard]] const std::vector<MaxSuccess>& in_reach() const { return in_reach_; }
  [[nodiscard]] const std::vector<std::vector<Action>>& actions() const { return actions_; }
  [[nodiscard]] const std::vector<NextPass>& next_passes() const { return next_passes_; }
  [[nodiscard]] double tick_s() const { return tick_s_; }

  // The highest success probability that can be reached from the start. No policy can promise more,
  // apart from errors by ticks and levels.
  [[nodiscard]] double success_max() const;
  // A scale for lambda: the cost of a run until the deadline on the most expensive nodes.
  [[nodiscard]] double cost_max() const;

 private:
  Setting setting_;
  ClosedLoopOptions options_;
  double tick_s_;
  std::vector<double> levels_;
  std::vector<RunClass> classes_;
  std::size_t effects_ = 1;
  std::vector<Mdp> processes_;
  std::vector<MaxSuccess> in_reach_;
  std::vector<NextPass> next_passes_;
  std::vector<std::vector<Action>> actions_;
};

// The value and success of each next pass, by (tick, next pass, level, class). Options are compared
// over all classes, so the classes are adjacent: one lookup reads a few cache lines.
class ActionValues {
 public:
  struct Entry {
    float value = 0;    // Future cost, less lambda times the success probability.
    float success = 0;  // Success probability that can be reached.
  };

  // One table of each kind for every class, with a row for each next pass.
  // REQUIRES: not empty, all of the same shape.
  ActionValues(const std::vector<Table>& values, const std::vector<MaxSuccess>& in_reach);

  // The entries of all classes, in order.
  [[nodiscard]] const Entry* at(std::size_t tick, std::size_t next_pass, std::size_t level) const {
    return &values_[((tick * next_passes_ + next_pass) * levels_ + level) * classes_];
  }

 private:
  std::size_t next_passes_;
  std::size_t levels_;
  std::size_t classes_;
  std::vector<Entry> values_;
};

class ClosedLoop : public Policy {
 public:
  // O(classes * one backward sweep).
  ClosedLoop(std::shared_ptr<const ClosedLoopModel> model, double lambda);

  // An option that the policy compares with others.
  struct Option {
    bool stop = false;
    std::size_t variant = 0;
    double value = 0;    // Expected future cost, less lambda times the success probability.
    double success = 0;  // Success probability that can be reached after it.
    bool admissible = true;
  };

  [[nodiscard]] std::size_t first_variant() const override { return first_; }
  [[nodiscard]] Move next(const DecisionState& state) const override;
  [[nodiscard]] const Setting* belief_setting() const override { return &model_->setting(); }

  // The first option is to stop. REQUIRES: state.belief is set.
  static constexpr std::size_t kOptionsMax = 64;
  using Options = InlineVector<Option, kOptionsMax>;
  [[nodiscard]] Options options(const DecisionState& state) const;
  [[nodiscard]] double lambda() const { return lambda_; }
  [[nodiscard]] const ClosedLoopModel& model() const { return *model_; }

 private:
  std::shared_ptr<const ClosedLoopModel> model_;
  double lambda_;
  ActionValues values_;
  std::size_t first_ = 0;
};

}  // namespace surety::plan
