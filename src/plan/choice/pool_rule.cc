#include "plan/choice/pool_rule.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "base/random.h"
#include "base/statistics.h"

namespace surety::plan {
namespace {

// Quantile over the draws by which options are compared, and its step towards the median with each
// attempt of the version. After failed attempts, optimism yields no new information.
constexpr double kOptimism = 0.10;
constexpr double kOptimismSpent = 0.10;
constexpr double kHigh = 0.975;
constexpr int kLambdas = 13;
constexpr std::size_t kTimes = 16;  // Points at which the chance of fresh attempts is computed.
constexpr double kNeverLog = -std::numeric_limits<double>::infinity();  // Logarithm of 0.

// Gauss-Hermite quadrature: effects of attempts, in standard deviations, and their weights.
constexpr std::array<double, 3> kEffects{-1.732051, 0, 1.732051};
constexpr std::array<double, 3> kEffectWeights{1.0 / 6, 2.0 / 3, 1.0 / 6};

// Passes after which an attempt may be abandoned: 1, 2, ... 12, then each a sixth more than the
// last, and passes_max.
std::vector<std::uint32_t> cut_offs(std::uint32_t passes_max) {
  std::vector<std::uint32_t> cuts;
  for (std::uint32_t k = 1; k < passes_max; k += std::max(1u, k / 6)) cuts.push_back(k);
  cuts.push_back(passes_max);
  return cuts;
}

// For one attempt in one draw, by cut-off: the chance that the target is not yet reached, and the
// expected passes used.
struct Survival {
  std::vector<double> open;
  std::vector<double> used;
};

// Fills `out`. The target is reached at the first checkpoint that shows it. Between two cut-offs,
// each pass has the mean of the chances at both ends.
void survival_of(const Belief::Course& course, double target,
                 const std::vector<std::uint32_t>& cuts, Survival& out) {
  out.open.resize(cuts.size());
  out.used.resize(cuts.size());
  double open = 1;
  double used = 0;
  double chance_before = 0;
  std::uint32_t before = 0;
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    const std::uint32_t cut = cuts[i];
    const double chance = course.chance(cut, target);
    const double each = cut == before + 1 ? chance : (chance + chance_before) / 2;
    const std::uint32_t passes = cut - before;
    const double then = open * (passes == 1 ? 1 - each : std::pow(1 - each, passes));
    used += passes == 1 ? open : passes * (open + then) / 2;
    open = then;
    chance_before = chance;
    before = cut;
    out.open[i] = open;
    out.used[i] = used;
  }
}

// Adds the share of attempts that never learn and use all their passes.
void add_stuck(Survival& survival, double stuck, const std::vector<std::uint32_t>& cuts) {
  for (std::size_t i = 0; i < survival.open.size(); ++i) {
    survival.open[i] = stuck + (1 - stuck) * survival.open[i];
    survival.used[i] = stuck * cuts[i] + (1 - stuck) * survival.used[i];
  }
}

Survival fresh_survival(const Belief& belief, std::uint32_t draw, std::uint32_t version,
                        double workers_log, double target, const std::vector<std::uint32_t>& cuts) {
  Survival mean{std::vector<double>(cuts.size()), std::vector<double>(cuts.size())};
  Survival one;
  for (std::size_t e = 0; e < kEffects.size(); ++e) {
    survival_of(belief.fresh(draw, version, kEffects[e], workers_log), target, cuts, one);
    for (std::size_t i = 0; i < cuts.size(); ++i) {
      mean.open[i] += kEffectWeights[e] * one.open[i];
      mean.used[i] += kEffectWeights[e] * one.used[i];
    }
  }
  add_stuck(mean, belief.stuck(draw), cuts);
  return mean;
}

// The belief about fresh attempts in one draw.
struct Fresh {
  std::vector<Survival> by_variant;
  double cost = 0;  // Least cost, over variants and cut-offs, until an attempt reaches the target.
  std::array<double, kTimes>
      chance{};  // Chance that an attempt reaches it within i / (kTimes - 1) of the time left.
};

// The values of one option in one draw.
struct Weight {
  double cost = 0;   // Cost until the target is reached, without a limit on time and money.
  double late = 1;   // Chance to miss the target within the time and money left.
  double spent = 0;  // Cost until the target is reached or the time or the money is used up.
};

class Chooser {
 public:
  Chooser(const Belief& belief, const std::vector<PoolVariant>& variants, double common_sd,
          bool scaled, const PoolGoal& goal, const PoolMoment& now)
      : belief_(belief),
        variants_(variants),
        goal_(goal),
        cuts_(cut_offs(std::max(1u, goal.passes_max))),
        seconds_(scaled ? std::numeric_limits<double>::infinity() : now.seconds_left),
        money_(scaled || !now.money_left ? std::numeric_limits<double>::infinity()
                                         : *now.money_left) {
    const Random random(0x706f6f6cu);  // Common random numbers: the same in every decision.
    pass_s_.resize(belief.draws());
    fresh_.resize(belief.draws());
    for (std::uint32_t d = 0; d < belief.draws(); ++d) {
      Random draw_random = random.fork("pass times", d);
      const double common = common_sd * draw_random.normal();
      for (const PoolVariant& variant : variants) {
        pass_s_[d].push_back(
            std::exp(variant.time.log_s + common + variant.time.own_sd * draw_random.normal()));
      }
      fresh_[d] = fresh(d);
    }
  }

  [[nodiscard]] PoolChoice choose(const std::vector<PoolCandidate>& candidates) {
    PoolChoice choice;
    std::vector<std::vector<double>> costs;
    std::vector<std::vector<double>> lates;
    const auto add = [&](const PoolCandidate* candidate, std::uint32_t variant) {
      std::vector<double> cost(belief_.draws());
      std::vector<double> late(belief_.draws());
      std::vector<double> spent(belief_.draws());
      const std::vector<std::uint32_t> cuts = candidate ? cuts_of(*candidate) : cuts_;
      for (std::uint32_t d = 0; d < belief_.draws(); ++d) {
        const Weight weight = weigh(d, candidate, cuts, variant);
        cost[d] = weight.cost;
        late[d] = weight.late;
        spent[d] = weight.spent;
      }
      PoolOption option;
      if (candidate) option.attempt = candidate->attempt;
      option.variant = variant;
      std::vector<double> kept(late.size());
      std::ranges::transform(late, kept.begin(),
                             [&](double l) { return (1 - l) * goal_.confirmed; });
      option.cost = quantile(cost, kOptimism);
      option.cost_mean = mean(spent);
      option.late = mean(late);
      option.kept_mean = mean(kept);
      option.kept_high = quantile(kept, kHigh);
      choice.kept.push_back(std::move(kept));
      choice.options.push_back(option);
      costs.push_back(std::move(cost));
      lates.push_back(std::move(late));
    };
    // Ties go to the first option, so an attempt continues if two options are equal.
    for (const PoolCandidate& candidate : candidates) {
      for (std::uint32_t v = 0; v < variants_.size(); ++v) {
        // Attempts change towards fuller versions only. In our experiments, an attempt that is
        // small from the start was cheaper than one that is pruned later.
        const PoolVariant& own = variants_[candidate.variant];
        const PoolVariant& other = variants_[v];
        const bool may =
            goal_.switches ? other.version <= own.version : other.version == own.version;
        if (may && other.family == own.family) add(&candidate, v);
      }
    }
    for (std::uint32_t v = 0; v < variants_.size(); ++v) {
      if (variants_[v].may_begin) add(nullptr, v);
    }
    choice.option = choice.options[pick(choice.options, costs, lates, value_of_success())];
    choice.kept_high = 0;
    for (const PoolOption& option : choice.options) {
      choice.kept_high = std::max(choice.kept_high, option.kept_high);
    }
    if (choice.option.attempt) expect_passes(candidates, choice.option);
    return choice;
  }

 private:
  [[nodiscard]] double price(std::uint32_t variant) const { return variants_[variant].price_per_s; }
  // The seconds of this variant's nodes that the money allows.
  [[nodiscard]] double seconds_with(std::uint32_t variant) const {
    return std::min(seconds_, price(variant) > 0 ? money_ / price(variant) : seconds_);
  }

  // The largest amount that fresh attempts can spend from now on; 0 if none may begin.
  [[nodiscard]] double most_for_fresh() const {
    double most = 0;
    for (std::uint32_t v = 0; v < variants_.size(); ++v) {
      if (variants_[v].may_begin && price(v) > 0) most = std::max(most, price(v) * seconds_with(v));
    }
    return most;
  }

  // The first value of lambda. If some nodes cost nothing while others are paid for, a success must
  // still have a value.
  [[nodiscard]] double value_of_success() const {
    double fresh = 0;
    double pass = 0;
    for (std::uint32_t d = 0; d < belief_.draws(); ++d) {
      fresh += fresh_[d].cost / belief_.draws();
      for (std::uint32_t v = 0; v < variants_.size(); ++v) {
        pass = std::max(pass, price(v) * pass_s_[d][v]);
      }
    }
    return fresh > 0 ? fresh : pass;
  }

  [[nodiscard]] Fresh fresh(std::uint32_t d) const {
    Fresh out;
    out.cost = std::numeric_limits<double>::infinity();
    for (std::uint32_t v = 0; v < variants_.size(); ++v) {
      out.by_variant.push_back(fresh_survival(belief_, d, variants_[v].version,
                                              variants_[v].workers_log, goal_.target, cuts_));
      if (!variants_[v].may_begin) continue;
      const Survival& survival = out.by_variant.back();
      for (std::size_t i = 0; i < cuts_.size(); ++i) {
        const double hit = 1 - survival.open[i];
        if (hit < 1e-9) continue;
        const double seconds = variants_[v].start_s + pass_s_[d][v] * survival.used[i];
        out.cost = std::min(out.cost, price(v) * seconds / hit);
      }
    }
    // A target that is never reached has a large but finite cost, so that options still differ.
    out.cost = std::min(out.cost, 1e6 * price(0) * pass_s_[d][0]);
    out.chance = chances(d, out.by_variant);
    return out;
  }

  // Fresh::chance. As many attempts as fit are made one after the other, each with the same
  // variant and cut-off.
  [[nodiscard]] std::array<double, kTimes> chances(std::uint32_t d,
                                                   const std::vector<Survival>& fresh) const {
    // The logarithms of the chances that no attempt reaches the target: a product is faster than a
    // power.
    std::array<double, kTimes> none_log{};
    for (std::uint32_t v = 0; v < variants_.size(); ++v) {
      if (!variants_[v].may_begin) continue;
      const double most_s = seconds_with(v);
      for (std::size_t i = 0; i < cuts_.size(); ++i) {
        const double open_log = std::log(fresh[v].open[i]);
        if (std::isinf(most_s)) {
          // Any number of attempts fits, but none into a time of 0.
          if (open_log < 0) std::fill(none_log.begin() + 1, none_log.end(), kNeverLog);
          continue;
        }
        const double each_s = variants_[v].start_s + pass_s_[d][v] * cuts_[i];
        if (each_s > most_s) break;
        for (std::size_t t = kTimes - 1; t > 0; --t) {
          const double fit = std::floor(most_s * static_cast<double>(t) / (kTimes - 1) / each_s);
          if (fit < 1) break;
          none_log[t] = std::min(none_log[t], fit * open_log);
        }
      }
    }
    std::array<double, kTimes> out{};
    std::ranges::transform(none_log, out.begin(), [](double log) { return -std::expm1(log); });
    return out;
  }

  // Chance that a fresh attempt reaches the target in this many seconds.
  [[nodiscard]] double fresh_chance(std::uint32_t d, double seconds) const {
    if (seconds <= 0) return 0;
    if (std::isinf(seconds_)) return fresh_[d].chance[kTimes - 1];
    const double at = std::min(1.0, seconds / seconds_) * (kTimes - 1);
    return fresh_[d].chance[static_cast<std::size_t>(at)];
  }

  [[nodiscard]] Belief::Course onward(std::uint32_t d, const PoolCandidate& candidate,
                                      std::uint32_t variant) const {
    return belief_.onward(d, candidate.attempt, variants_[variant].version,
                          variants_[variant].workers_log);
  }

  // Cut-offs among the remaining passes of an attempt.
  [[nodiscard]] std::vector<std::uint32_t> cuts_of(const PoolCandidate& candidate) const {
    const std::uint32_t left = goal_.passes_max - std::min(candidate.passes, goal_.passes_max);
    std::vector<std::uint32_t> cuts = cuts_;
    while (cuts.size() > 1 && cuts.back() > left) cuts.pop_back();
    return cuts;
  }

  // The values of the option in one draw, if it is abandoned at the best moment.
  [[nodiscard]] Weight weigh(std::uint32_t d, const PoolCandidate* candidate,
                             const std::vector<std::uint32_t>& cuts, std::uint32_t variant) {
    double start_s = variants_[variant].start_s;
    if (candidate) {
      survival_of(onward(d, *candidate, variant), goal_.target, cuts, onward_);
      add_stuck(onward_, belief_.chance_stuck(d, candidate->attempt), cuts);
      if (candidate->loaded && variant == candidate->variant) start_s = 0;
    }
    const Survival& survival = candidate ? onward_ : fresh_[d].by_variant[variant];
    const double pass_s = pass_s_[d][variant];
    const double limit = seconds_with(variant);
    const double later_most = most_for_fresh();
    Weight out;
    out.cost = std::numeric_limits<double>::infinity();
    // If not even one pass fits, the attempt uses up all that is left.
    out.spent = std::isinf(limit) ? 0 : price(variant) * std::max(0.0, limit);
    double least = std::numeric_limits<double>::infinity();
    double kept = 0;
    for (std::size_t i = 0; i < survival.open.size(); ++i) {
      const double own = price(variant) * (start_s + pass_s * survival.used[i]);
      const double cost = own + survival.open[i] * fresh_[d].cost;
      out.cost = std::min(out.cost, cost);
      const double end_s = start_s + pass_s * cuts[i];
      if (end_s > limit) break;
      // The share of the time that is left. The money left counts like the time left.
      const double share = std::isinf(limit) ? 1 : 1 - end_s / limit;
      kept = std::max(kept, 1 - survival.open[i] * (1 - fresh_chance(d, seconds_ * share)));
      // If no fresh attempt can follow, the attempt continues for as long as it may.
      if (later_most > 0 && cost >= least) continue;
      least = cost;
      out.spent = own + survival.open[i] * std::min(fresh_[d].cost, later_most * share);
    }
    out.late = 1 - kept;
    return out;
  }

  // The quantile by which a version is judged. The more often it was tried, the less optimistic the
  // quantile is.
  [[nodiscard]] double optimism(std::uint32_t variant) const {
    const std::uint32_t version = variants_[variant].version;
    const double tried = version < goal_.tried.size() ? goal_.tried[version] : 0;
    return std::min(0.5, kOptimism + kOptimismSpent * tried);
  }

  // The option that is chosen with the least value of a success at which the chosen option is late
  // rarely enough.
  [[nodiscard]] std::size_t pick(const std::vector<PoolOption>& options,
                                 const std::vector<std::vector<double>>& costs,
                                 const std::vector<std::vector<double>>& lates,
                                 double success_value) const {
    std::size_t best = 0;
    double lambda = 0.5 * success_value;
    for (int i = 0; i < kLambdas; ++i, lambda *= 2) {
      double least = std::numeric_limits<double>::infinity();
      for (std::size_t o = 0; o < options.size(); ++o) {
        std::vector<double> values(costs[o].size());
        for (std::size_t d = 0; d < values.size(); ++d) {
          values[d] = costs[o][d] + lambda * lates[o][d];
        }
        const double value = quantile(std::move(values), optimism(options[o].variant));
        if (value >= least) continue;
        least = value;
        best = o;
      }
      if (options[best].late <= 1 - goal_.probability) break;
    }
    return best;
  }

  void expect_passes(const std::vector<PoolCandidate>& candidates, PoolOption& option) {
    const auto candidate = std::ranges::find(candidates, *option.attempt, &PoolCandidate::attempt);
    SURETY_CHECK(candidate != candidates.end());
    const std::vector<std::uint32_t> cuts = cuts_of(*candidate);
    std::vector<double> passes;
    for (std::uint32_t d = 0; d < belief_.draws(); ++d) {
      survival_of(onward(d, *candidate, option.variant), goal_.target, cuts, onward_);
      const auto half = std::ranges::find_if(onward_.open, [](double open) { return open < 0.5; });
      passes.push_back(half == onward_.open.end()
                           ? kFarPasses
                           : cuts[static_cast<std::size_t>(half - onward_.open.begin())]);
    }
    option.passes_left = goal_.passes_max - std::min(candidate->passes, goal_.passes_max);
    option.passes_low = quantile(passes, 0.1);
    option.passes_high = quantile(passes, 0.9);
  }

  const Belief& belief_;
  const std::vector<PoolVariant>& variants_;
  const PoolGoal& goal_;
  std::vector<std::uint32_t> cuts_;
  double seconds_;
  double money_;
  std::vector<std::vector<double>> pass_s_;  // Indexed by draw and variant.
  std::vector<Fresh> fresh_;
  // The attempt that is weighed. It is a member so that no memory is allocated for each draw.
  Survival onward_;
};

}  // namespace

PoolChoice choose(const Belief& belief, const std::vector<PoolVariant>& variants, double common_sd,
                  bool scaled, const std::vector<PoolCandidate>& candidates, const PoolGoal& goal,
                  const PoolMoment& now) {
  SURETY_CHECK(!variants.empty());
  return Chooser(belief, variants, common_sd, scaled, goal, now).choose(candidates);
}

std::uint32_t passes_to_reach(const Belief& belief, std::uint32_t version, double workers_log,
                              double target, double chance, std::uint32_t passes_max) {
  const std::vector<std::uint32_t> cuts = cut_offs(std::max(1u, passes_max));
  std::vector<double> open(cuts.size());
  for (std::uint32_t d = 0; d < belief.draws(); ++d) {
    const Survival survival = fresh_survival(belief, d, version, workers_log, target, cuts);
    for (std::size_t i = 0; i < cuts.size(); ++i) open[i] += survival.open[i] / belief.draws();
  }
  const auto first = std::ranges::find_if(open, [&](double left) { return left <= 1 - chance; });
  return first == open.end() ? passes_max : cuts[static_cast<std::size_t>(first - open.begin())];
}

}  // namespace surety::plan
