#include "test/support/plan/decision/sweep.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace surety::plan {
namespace {

// The mean of values by level after a step of the kernel, for each level before it.
std::vector<double> mean_after(const Kernel& kernel, const double* values) {
  std::vector<double> means;
  for (std::size_t l = 0; l < kernel.levels(); ++l) {
    const Kernel::View after = kernel.view(l);
    double& mean = means.emplace_back(0);
    for (std::size_t i = 0; i < after.chances.size(); ++i) {
      mean += after.chances[i] * values[after.first + i];
    }
  }
  return means;
}

// What a table says after a pass that begins at this tick, for each level before it. A pass that
// ends after the deadline counts as 0.
std::vector<double> mean_after_pass(const Mdp& mdp, const Table& table, std::size_t variant,
                                    std::size_t tick) {
  const MdpVariant& it = mdp.variants[variant];
  std::vector<double> ended(mdp.levels(), 0.0);
  for (std::size_t d = 1; d < it.duration.size() && tick + d <= mdp.ticks; ++d) {
    if (it.duration[d] == 0) continue;
    const double* values = table.row(tick + d, variant);
    for (std::size_t l = 0; l < ended.size(); ++l) ended[l] += it.duration[d] * values[l];
  }
  return mean_after(it.pass, ended.data());
}

class Sweeper {
 public:
  Sweeper(const Mdp& mdp, double lambda, const MaxSuccess* mask, const MaskOptions& options)
      : mdp_(mdp), lambda_(lambda), mask_(mask), options_(options) {}

  [[nodiscard]] Sweep run() {
    for (std::size_t t = mdp_.ticks + 1; t-- > 0;) {
      for (std::size_t p = 0; p < next_passes_.size(); ++p) fill_next_pass(t, p);
      for (std::size_t v = 0; v < mdp_.variants.size(); ++v) {
        for (std::size_t l = 0; l < mdp_.levels(); ++l) choose(t, v, l);
      }
    }
    return std::move(best_);
  }

 private:
  // Passes without a jump come first, and those with a jump are based on them.
  void fill_next_pass(std::size_t tick, std::size_t index) {
    const NextPass& next = next_passes_[index];
    if (!can_run(mdp_, next.to, tick)) return;
    const auto before = [&](const Table& table, const Table& next_passes) {
      return next.jump ? mean_after(mdp_.jumps[*next.jump], next_passes.row(tick, next.to))
                       : mean_after_pass(mdp_, table, next.to, tick);
    };
    const double pass_cost = next.jump ? 0 : mdp_.variants[next.to].cost;
    const std::vector<double> chances = before(best_.probability, best_.next_pass_probability);
    const std::vector<double> costs = before(best_.cost, best_.next_pass_cost);
    for (std::size_t l = 0; l < mdp_.levels(); ++l) {
      best_.next_pass_probability.at(tick, index, l) = chances[l];
      best_.next_pass_cost.at(tick, index, l) = costs[l] + pass_cost;
    }
  }

  void choose(std::size_t tick, std::size_t variant, std::size_t level) {
    const double most = mask_ ? mask_->probability.at(tick, variant, level) : 0;
    const double needed = most > options_.give_up_max ? options_.kappa * most : 0;
    double& p = best_.probability.at(tick, variant, level);
    double& cost = best_.cost.at(tick, variant, level);
    p = mdp_.success[level];
    double value = p >= std::min(needed, options_.enough) ? -lambda_ * p
                                                          : std::numeric_limits<double>::infinity();
    for (const Action& action : actions_[variant]) {
      const std::size_t then = tick + action.ticks;
      if (!can_run(mdp_, next_passes_[action.next_pass].to, then)) continue;
      if (mask_ && mask_->next_pass_probability.at(then, action.next_pass, level) < needed)
        continue;
      const double its_p = best_.next_pass_probability.at(then, action.next_pass, level);
      const double its_cost = action.cost + best_.next_pass_cost.at(then, action.next_pass, level);
      if (its_cost - lambda_ * its_p >= value) continue;
      value = its_cost - lambda_ * its_p;
      p = its_p;
      cost = its_cost;
    }
  }

  const Mdp& mdp_;
  double lambda_;
  const MaxSuccess* mask_;
  const MaskOptions& options_;
  std::vector<NextPass> next_passes_ = list_next_passes(mdp_);
  std::vector<std::vector<Action>> actions_ = list_actions(mdp_, next_passes_);
  Table by_variant_{mdp_.ticks, mdp_.variants.size(), mdp_.levels()};
  Table by_next_pass_{mdp_.ticks, next_passes_.size(), mdp_.levels()};
  Sweep best_{by_variant_, by_variant_, by_next_pass_, by_next_pass_};
};

}  // namespace

Sweep sweep(const Mdp& mdp, double lambda, const MaxSuccess* mask, const MaskOptions& options) {
  return Sweeper(mdp, lambda, mask, options).run();
}

}  // namespace surety::plan
