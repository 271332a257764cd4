#include "plan/decision/cmdp.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace surety::plan {
namespace {

constexpr double kNegligible = 1e-9;  // Smaller chances are rounding errors.
constexpr double kNever = std::numeric_limits<double>::infinity();

double expect(const Kernel::View& view, const double* values) {
  // Inner loop: four sums, so that an addition does not wait for the previous one.
  double sums[4] = {};
  const double* from = values + view.first;
  const std::size_t size = view.chances.size();
  std::size_t i = 0;
  for (; i + 4 <= size; i += 4) {
    for (std::size_t k = 0; k < 4; ++k) sums[k] += view.chances[i + k] * from[i + k];
  }
  for (; i < size; ++i) sums[0] += view.chances[i] * from[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// The process with everything that a backward sweep needs.
class Process {
 public:
  explicit Process(const Mdp& mdp)
      : mdp_(mdp), next_passes_(list_next_passes(mdp)), actions_(list_actions(mdp, next_passes_)) {
    SURETY_CHECK(!mdp.success.empty());
    for (const MdpVariant& variant : mdp.variants) {
      SURETY_CHECK(variant.pass.levels() == mdp.levels());
      SURETY_CHECK(variant.duration.empty() || variant.duration[0] == 0);
      auto& durations = durations_.emplace_back();
      for (std::size_t d = 1; d < variant.duration.size(); ++d) {
        if (variant.duration[d] > kNegligible) durations.push_back({d, variant.duration[d]});
      }
    }
    ended_.resize(mdp.levels());
  }

  [[nodiscard]] Table by_variant() const {
    return Table(mdp_.ticks, mdp_.variants.size(), mdp_.levels());
  }
  [[nodiscard]] Table by_next_pass() const {
    return Table(mdp_.ticks, next_passes_.size(), mdp_.levels());
  }

  // Fills the next passes at `tick` with the expected value of `table` after them; `table` is known
  // for later ticks. With `with_cost` it adds the cost of their passes.
  void back_up(const Table& table, std::size_t tick, bool with_cost, Table& next_passes) {
    for (std::size_t v = 0; v < mdp_.variants.size(); ++v) {
      if (!can_run(mdp_, v, tick)) continue;
      std::fill(ended_.begin(), ended_.end(), 0.0);
      for (const Duration& duration : durations_[v]) {
        if (tick + duration.ticks > mdp_.ticks) break;
        const double* values = table.row(tick + duration.ticks, v);
        for (std::size_t l = 0; l < ended_.size(); ++l) ended_[l] += duration.chance * values[l];
      }
      const double cost = with_cost ? mdp_.variants[v].cost : 0;
      const Kernel& pass = mdp_.variants[v].pass;
      for (std::size_t l = 0; l < ended_.size(); ++l) {
        next_passes.at(tick, v, l) = cost + expect(pass.view(l), ended_.data());
      }
    }
    for (std::size_t p = mdp_.variants.size(); p < next_passes_.size(); ++p) {
      if (!can_run(mdp_, next_passes_[p].to, tick)) continue;
      const Kernel& jump = mdp_.jumps[*next_passes_[p].jump];
      const double* values = next_passes.row(tick, next_passes_[p].to);
      for (std::size_t l = 0; l < ended_.size(); ++l) {
        next_passes.at(tick, p, l) = expect(jump.view(l), values);
      }
    }
  }

  // The actions of a variant whose pass may begin in time.
  void possible_actions(std::size_t tick, std::size_t variant, std::vector<Action>& result) const {
    result.clear();
    for (const Action& action : actions_[variant]) {
      if (can_run(mdp_, next_passes_[action.next_pass].to, tick + action.ticks))
        result.push_back(action);
    }
  }

  // Calls visit(tick), then choose(tick, variant, its actions), from the deadline to the start.
  template <typename Visit, typename Choose>
  void sweep_back(Visit&& visit, Choose&& choose) {
    std::vector<Action> actions;
    for (std::size_t t = mdp_.ticks + 1; t-- > 0;) {
      visit(t);
      for (std::size_t v = 0; v < mdp_.variants.size(); ++v) {
        possible_actions(t, v, actions);
        choose(t, v, actions);
      }
    }
  }

 private:
  struct Duration {
    std::size_t ticks = 0;
    double chance = 0;
  };

  const Mdp& mdp_;
  std::vector<NextPass> next_passes_;
  std::vector<std::vector<Action>> actions_;  // One entry for each variant.
  // One entry for each variant, without impossible durations.
  std::vector<std::vector<Duration>> durations_;
  std::vector<double> ended_;  // Scratch space of back_up(), by level.
};

// Which actions are admissible, for all levels of a variant at a tick. Without a mask all are.
class Admission {
 public:
  Admission(const MaxSuccess* mask, const MaskOptions& options, std::size_t levels)
      : mask_(mask), options_(options), needed_(levels, 0.0), nothing_(levels, 0.0) {}

  void enter(std::size_t tick, std::size_t variant) {
    if (mask_ == nullptr) return;
    tick_ = tick;
    const double* in_reach = mask_->probability.row(tick, variant);
    for (std::size_t l = 0; l < needed_.size(); ++l) {
      needed_[l] = in_reach[l] <= options_.give_up_max ? 0 : options_.kappa * in_reach[l];
    }
  }
  [[nodiscard]] bool admits_stop(std::size_t level, double success) const {
    return success >= std::min(needed_[level], options_.enough);
  }
  // By level: the success that the action can reach, and the least that is admissible.
  [[nodiscard]] const double* in_reach(const Action& action) const {
    return mask_ == nullptr
               ? nothing_.data()
               : mask_->next_pass_probability.row(tick_ + action.ticks, action.next_pass);
  }
  [[nodiscard]] const double* needed() const { return needed_.data(); }

 private:
  const MaxSuccess* mask_;
  const MaskOptions& options_;
  std::size_t tick_ = 0;
  std::vector<double> needed_;
  std::vector<double> nothing_;
};

}  // namespace

std::vector<NextPass> list_next_passes(const Mdp& mdp) {
  SURETY_CHECK(!mdp.variants.empty() && mdp.switches.size() == mdp.variants.size());
  std::vector<NextPass> jumps;
  for (const auto& switches : mdp.switches) {
    for (const MdpSwitch& change : switches) {
      if (change.jump) jumps.push_back({change.to, change.jump});
    }
  }
  std::sort(jumps.begin(), jumps.end());
  jumps.erase(std::unique(jumps.begin(), jumps.end()), jumps.end());
  std::vector<NextPass> next_passes;
  for (std::size_t v = 0; v < mdp.variants.size(); ++v) next_passes.push_back({v, {}});
  next_passes.insert(next_passes.end(), jumps.begin(), jumps.end());
  return next_passes;
}

std::vector<std::vector<Action>> list_actions(const Mdp& mdp,
                                              const std::vector<NextPass>& next_passes) {
  std::vector<std::vector<Action>> result;
  for (std::size_t v = 0; v < mdp.variants.size(); ++v) {
    auto& actions = result.emplace_back();
    actions.push_back({v, 0, 0});
    for (const MdpSwitch& change : mdp.switches[v]) {
      const NextPass next_pass{change.to, change.jump};
      // A next pass with a jump is found among the sorted ones; a plain pass has the index of its
      // variant.
      const auto at = change.jump ? std::find(next_passes.begin(), next_passes.end(), next_pass)
                                  : next_passes.begin() + static_cast<std::ptrdiff_t>(change.to);
      SURETY_CHECK(at != next_passes.end());
      actions.push_back(
          {static_cast<std::size_t>(at - next_passes.begin()), change.ticks, change.cost});
    }
  }
  return result;
}

bool can_run(const Mdp& mdp, std::size_t variant, std::size_t tick) {
  const MdpVariant& it = mdp.variants[variant];
  return tick < mdp.ticks && tick >= it.first_tick && tick <= it.last_tick;
}

MaxSuccess max_success(const Mdp& mdp) {
  Process process(mdp);
  MaxSuccess best{process.by_variant(), process.by_next_pass()};
  process.sweep_back(
      [&](std::size_t t) {
        process.back_up(best.probability, t, false, best.next_pass_probability);
      },
      [&](std::size_t t, std::size_t v, const std::vector<Action>& actions) {
        double* p = &best.probability.at(t, v, 0);
        std::copy(mdp.success.begin(), mdp.success.end(), p);
        for (const Action& action : actions) {
          const double* its = best.next_pass_probability.row(t + action.ticks, action.next_pass);
          for (std::size_t l = 0; l < mdp.levels(); ++l) p[l] = std::max(p[l], its[l]);
        }
      });
  return best;
}

Table next_pass_values(const Mdp& mdp, double lambda, const MaxSuccess* mask,
                       const MaskOptions& options) {
  Process process(mdp);
  Table value = process.by_variant();
  Table next_passes = process.by_next_pass();
  Admission admission(mask, options, mdp.levels());
  process.sweep_back(
      [&](std::size_t t) { process.back_up(value, t, true, next_passes); },
      [&](std::size_t t, std::size_t v, const std::vector<Action>& actions) {
        admission.enter(t, v);
        double* best = &value.at(t, v, 0);
        for (std::size_t l = 0; l < mdp.levels(); ++l) {
          best[l] = admission.admits_stop(l, mdp.success[l]) ? -lambda * mdp.success[l] : kNever;
        }
        const double* needed = admission.needed();
        for (const Action& action : actions) {
          const double* its = next_passes.row(t + action.ticks, action.next_pass);
          const double* in_reach = admission.in_reach(action);
          for (std::size_t l = 0; l < mdp.levels(); ++l) {
            const double candidate = action.cost + its[l];
            best[l] = candidate < best[l] && in_reach[l] >= needed[l] ? candidate : best[l];
          }
        }
      });
  return next_passes;
}

}  // namespace surety::plan
