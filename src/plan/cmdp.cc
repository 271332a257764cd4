#include "plan/cmdp.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace surety::plan {
namespace {

constexpr double kNegligible = 1e-9;  // Chances below are noise of rounding.

void check(const Mdp& mdp) {
  SURETY_CHECK(!mdp.success.empty() && !mdp.variants.empty());
  SURETY_CHECK(mdp.switches.size() == mdp.variants.size());
  for (const MdpVariant& variant : mdp.variants) {
    SURETY_CHECK(variant.pass.levels() == mdp.levels());
    SURETY_CHECK(variant.duration.empty() || variant.duration[0] == 0);
  }
}

double expect(const Kernel::View& view, const double* values) {
  double sum = 0;
  for (std::size_t i = 0; i < view.chances.size(); ++i) {
    sum += view.chances[i] * values[view.first + i];
  }
  return sum;
}

// One variant's durations without the impossible ones.
struct Duration {
  std::size_t ticks = 0;
  double chance = 0;
};

// Backs up tables of expected values from the deadline to the start.
class Backup {
 public:
  explicit Backup(const Mdp& mdp) : mdp_(mdp), ended_(mdp.levels()) {
    for (const MdpVariant& variant : mdp.variants) {
      auto& durations = durations_.emplace_back();
      for (std::size_t d = 1; d < variant.duration.size(); ++d) {
        if (variant.duration[d] > kNegligible) durations.push_back({d, variant.duration[d]});
      }
    }
  }

  // Expectation of `table` after a pass of `variant` that begins at `tick`, by level, plus `cost`.
  void run(const Table& table, std::size_t tick, std::size_t variant, double cost, double* result) {
    std::fill(ended_.begin(), ended_.end(), 0.0);
    for (const Duration& duration : durations_[variant]) {
      if (tick + duration.ticks > mdp_.ticks) break;
      const double* values = table.row(tick + duration.ticks, variant);
      for (std::size_t l = 0; l < ended_.size(); ++l) ended_[l] += duration.chance * values[l];
    }
    const Kernel& pass = mdp_.variants[variant].pass;
    for (std::size_t l = 0; l < ended_.size(); ++l) {
      result[l] = cost + expect(pass.view(l), ended_.data());
    }
  }

 private:
  const Mdp& mdp_;
  std::vector<std::vector<Duration>> durations_;  // By variant; the constructor adds.
  std::vector<double> ended_;
};

// Something to do at (tick, variant): a pass of `to`, first going over to it. Levels' expectations
// of run tables come through `jump`.
struct Action {
  std::size_t to = 0, tick = 0;
  double cost = 0;
  const Kernel* jump = nullptr;

  [[nodiscard]] double of(const Table& run, std::size_t level) const {
    const double* values = run.row(tick, to);
    return jump == nullptr ? values[level] : expect(jump->view(level), values);
  }
};

// In the order in which ties are broken.
void list_actions(const Mdp& mdp, std::size_t tick, std::size_t variant,
                  std::vector<Action>& actions) {
  actions.clear();
  if (can_run(mdp, variant, tick)) actions.push_back({variant, tick, 0, nullptr});
  for (const MdpSwitch& change : mdp.switches[variant]) {
    const std::size_t then = tick + change.ticks;
    if (!can_run(mdp, change.to, then)) continue;
    actions.push_back(
        {change.to, then, change.cost, change.jump.levels() > 0 ? &change.jump : nullptr});
  }
}

// Which actions may be taken at one state.
class Admission {
 public:
  Admission(const MaxSuccess* mask, const MaskOptions& options) : mask_(mask), options_(options) {}

  void enter(std::size_t tick, std::size_t variant, std::size_t level) {
    if (mask_ == nullptr) return;
    const double in_reach = mask_->probability.at(tick, variant, level);
    needed_ = in_reach <= options_.give_up_max ? 0 : options_.kappa * in_reach;
  }
  [[nodiscard]] bool admits(double success) const { return mask_ == nullptr || success >= needed_; }
  [[nodiscard]] bool admits(const Action& action, std::size_t level) const {
    return mask_ == nullptr || action.of(mask_->run_probability, level) >= needed_;
  }

 private:
  const MaxSuccess* mask_;
  const MaskOptions& options_;
  double needed_ = 0;
};

}  // namespace

bool can_run(const Mdp& mdp, std::size_t variant, std::size_t tick) {
  const MdpVariant& it = mdp.variants[variant];
  return tick < mdp.ticks && tick >= it.first_tick && tick <= it.last_tick;
}

MaxSuccess max_success(const Mdp& mdp) {
  check(mdp);
  Backup backup(mdp);
  MaxSuccess best{Table(mdp.ticks, mdp.variants.size(), mdp.levels()),
                  Table(mdp.ticks, mdp.variants.size(), mdp.levels())};
  std::vector<Action> actions;
  for (std::size_t t = mdp.ticks + 1; t-- > 0;) {
    for (std::size_t v = 0; v < mdp.variants.size(); ++v) {
      if (can_run(mdp, v, t)) {
        backup.run(best.probability, t, v, 0, &best.run_probability.at(t, v, 0));
      }
    }
    for (std::size_t v = 0; v < mdp.variants.size(); ++v) {
      list_actions(mdp, t, v, actions);
      for (std::size_t l = 0; l < mdp.levels(); ++l) {
        double p = mdp.success[l];
        for (const Action& action : actions) {
          p = std::max(p, action.of(best.run_probability, l));
        }
        best.probability.at(t, v, l) = p;
      }
    }
  }
  return best;
}

Sweep sweep(const Mdp& mdp, double lambda, const MaxSuccess* mask, const MaskOptions& options) {
  check(mdp);
  Backup backup(mdp);
  const Table empty(mdp.ticks, mdp.variants.size(), mdp.levels());
  Sweep best{empty, empty, empty, empty};
  Admission admission(mask, options);
  std::vector<Action> actions;
  for (std::size_t t = mdp.ticks + 1; t-- > 0;) {
    for (std::size_t v = 0; v < mdp.variants.size(); ++v) {
      if (!can_run(mdp, v, t)) continue;
      backup.run(best.probability, t, v, 0, &best.run_probability.at(t, v, 0));
      backup.run(best.cost, t, v, mdp.variants[v].cost, &best.run_cost.at(t, v, 0));
    }
    for (std::size_t v = 0; v < mdp.variants.size(); ++v) {
      list_actions(mdp, t, v, actions);
      for (std::size_t l = 0; l < mdp.levels(); ++l) {
        admission.enter(t, v, l);
        double p = mdp.success[l], cost = 0;
        double value = admission.admits(p) ? -lambda * p : std::numeric_limits<double>::infinity();
        for (const Action& action : actions) {
          if (!admission.admits(action, l)) continue;
          const double action_p = action.of(best.run_probability, l);
          const double action_cost = action.cost + action.of(best.run_cost, l);
          if (action_cost - lambda * action_p < value) {
            value = action_cost - lambda * action_p, p = action_p, cost = action_cost;
          }
        }
        best.probability.at(t, v, l) = p;
        best.cost.at(t, v, l) = cost;
      }
    }
  }
  return best;
}

Table run_values(const Mdp& mdp, double lambda, const MaxSuccess* mask,
                 const MaskOptions& options) {
  check(mdp);
  Backup backup(mdp);
  Table value(mdp.ticks, mdp.variants.size(), mdp.levels());
  Table run = value;
  Admission admission(mask, options);
  std::vector<Action> actions;
  for (std::size_t t = mdp.ticks + 1; t-- > 0;) {
    for (std::size_t v = 0; v < mdp.variants.size(); ++v) {
      if (can_run(mdp, v, t)) backup.run(value, t, v, mdp.variants[v].cost, &run.at(t, v, 0));
    }
    for (std::size_t v = 0; v < mdp.variants.size(); ++v) {
      list_actions(mdp, t, v, actions);
      for (std::size_t l = 0; l < mdp.levels(); ++l) {
        admission.enter(t, v, l);
        double best = -lambda * mdp.success[l];
        if (!admission.admits(mdp.success[l])) best = std::numeric_limits<double>::infinity();
        for (const Action& action : actions) {
          const double candidate = action.cost + action.of(run, l);
          if (candidate < best && admission.admits(action, l)) best = candidate;
        }
        value.at(t, v, l) = best;
      }
    }
  }
  return run;
}

}  // namespace surety::plan
