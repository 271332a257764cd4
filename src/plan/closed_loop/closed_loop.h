// The policy that Surety runs by default: after every pass it takes what is cheapest in
// expectation, given the metric, the time and what is believed of this run.
//
// The run effect is not observed. For each of a few classes of it the decision process is solved
// (cmdp.h); the policy takes the action with the best mean over the classes, weighed by the belief
// (QMDP of Littman et al. 1995: as if the class were known from the next pass on; here information
// arrives whatever is done, so little is lost). Values are interpolated between levels and ticks,
// so that the grid decides little.
//
// What a success is worth, lambda, is kept fixed during a run: asking for the promised probability
// again from every state would be another promise, which bad luck makes impossible to keep.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "plan/inline_vector.h"
#include "plan/process/cmdp.h"
#include "plan/process/policy.h"
#include "plan/process/setting_mdp.h"

namespace surety::plan {

struct ClosedLoopOptions {
  MdpOptions grid;
  std::uint32_t classes = 5;  // Of the run effect.
  MaskOptions mask;
  bool masked = true;  // Without the mask it sabotages: for comparison only.
};

// What does not depend on lambda: the decision processes, and the success in reach.
class ClosedLoopModel {
 public:
  // O(classes * one backward sweep).
  ClosedLoopModel(const Setting& setting, const ClosedLoopOptions& options);

  [[nodiscard]] const Setting& setting() const { return setting_; }
  [[nodiscard]] const ClosedLoopOptions& options() const { return options_; }
  [[nodiscard]] const std::vector<RunClass>& classes() const { return classes_; }
  [[nodiscard]] std::size_t effects() const { return effects_; }  // Classes of one luck.
  [[nodiscard]] const std::vector<double>& levels() const { return levels_; }
  [[nodiscard]] const std::vector<Mdp>& processes() const { return processes_; }       // By class.
  [[nodiscard]] const std::vector<MaxSuccess>& in_reach() const { return in_reach_; }  // By class.
  [[nodiscard]] const std::vector<std::vector<Action>>& actions() const { return actions_; }
  [[nodiscard]] const std::vector<Play>& plays() const { return plays_; }
  [[nodiscard]] double tick_s() const { return tick_s_; }

  // Highest success probability in reach from the start: no policy promises more, but for what
  // ticks and levels misplace.
  [[nodiscard]] double success_max() const;
  // A scale for lambda: what a run that goes on to the deadline on the dearest nodes costs.
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
  std::vector<Play> plays_;
  std::vector<std::vector<Action>> actions_;
};

// What each play is worth and promises, by (tick, play, level, class). Options are weighed over all
// classes, so these lie side by side: a look costs a few cache lines.
class Prospects {
 public:
  struct Prospect {
    float value = 0;    // Cost to come, less lambda times the success probability.
    float success = 0;  // In reach.
  };

  // Tables by play, one of each for every class. REQUIRES: not empty, all of one shape.
  Prospects(const std::vector<Table>& values, const std::vector<MaxSuccess>& in_reach);

  // By class.
  [[nodiscard]] const Prospect* at(std::size_t tick, std::size_t play, std::size_t level) const {
    return &prospects_[((tick * plays_ + play) * levels_ + level) * classes_];
  }

 private:
  std::size_t plays_, levels_, classes_;
  std::vector<Prospect> prospects_;
};

class ClosedLoop : public Policy {
 public:
  // O(classes * one backward sweep).
  ClosedLoop(std::shared_ptr<const ClosedLoopModel> model, double lambda);

  // What the policy weighs against each other.
  struct Option {
    bool stop = false;
    std::size_t variant = 0;
    double value = 0;    // Expected cost to come, less lambda times the success probability.
    double success = 0;  // In reach after it.
    bool admissible = true;
  };

  [[nodiscard]] std::size_t first_variant() const override { return first_; }
  [[nodiscard]] Move next(const Standing& standing) const override;
  [[nodiscard]] const Setting* believes_in() const override { return &model_->setting(); }

  // Stopping first. REQUIRES: standing.belief.
  static constexpr std::size_t kOptionsMax = 64;
  using Options = InlineVector<Option, kOptionsMax>;
  [[nodiscard]] Options options(const Standing& standing) const;
  [[nodiscard]] double lambda() const { return lambda_; }
  [[nodiscard]] const ClosedLoopModel& model() const { return *model_; }
  [[nodiscard]] const std::shared_ptr<const ClosedLoopModel>& shared_model() const {
    return model_;
  }

 private:
  std::shared_ptr<const ClosedLoopModel> model_;
  double lambda_;
  Prospects prospects_;
  std::size_t first_ = 0;
};

}  // namespace surety::plan
