#include "plan/decision/cmdp.h"

#include <gtest/gtest.h>

#include <ClpSimplex.hpp>
#include <CoinPackedMatrix.hpp>
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "plan/decision/mdp_testing.h"
#include "test/support/plan/decision/hull.h"
#include "test/support/plan/decision/sweep.h"

namespace surety::plan {
namespace cmdp_test {

using namespace testing;

constexpr double kNever = 1e300;

// The definition, state by state and without tables: the outcomes of a pass that begins at a tick.
void for_each_outcome(const Mdp& mdp, std::size_t tick, const NextPass& next_pass,
                      std::size_t level,
                      const std::function<void(double, std::size_t, std::size_t)>& visit) {
  const MdpVariant& variant = mdp.variants[next_pass.to];
  std::vector<double> jumped(mdp.levels(), 0.0);
  jumped[level] = 1;
  if (next_pass.jump) jumped = mdp.jumps[*next_pass.jump].apply(jumped);
  const std::vector<double> after = variant.pass.apply(jumped);
  for (std::size_t d = 1; d < variant.duration.size(); ++d) {
    if (tick + d > mdp.ticks) continue;
    for (std::size_t l = 0; l < after.size(); ++l) {
      if (after[l] > 0) visit(variant.duration[d] * after[l], tick + d, l);
    }
  }
}

// Smallest cost - lambda * success by plain recursion.
class Recursion {
 public:
  Recursion(const Mdp& mdp, double lambda)
      : mdp_(mdp),
        lambda_(lambda),
        next_passes_(list_next_passes(mdp)),
        actions_(list_actions(mdp, next_passes_)) {}

  double value(std::size_t tick, std::size_t variant, std::size_t level) {
    const auto key = std::tuple(tick, variant, level);
    if (const auto it = known_.find(key); it != known_.end()) return it->second;
    double best = -lambda_ * mdp_.success[level];
    for (const Action& action : actions_[variant]) {
      best = std::min(best, action.cost + next_pass(tick + action.ticks,
                                                    next_passes_[action.next_pass], level));
    }
    return known_[key] = best;
  }

  double next_pass(std::size_t tick, const NextPass& next_pass, std::size_t level) {
    if (!can_run(mdp_, next_pass.to, tick)) return kNever;
    double sum = mdp_.variants[next_pass.to].cost;
    for_each_outcome(mdp_, tick, next_pass, level,
                     [&](double chance, std::size_t t, std::size_t l) {
                       sum += chance * value(t, next_pass.to, l);
                     });
    return sum;
  }

 private:
  const Mdp& mdp_;
  double lambda_;
  std::vector<NextPass> next_passes_;
  std::vector<std::vector<Action>> actions_;
  std::map<std::tuple<std::size_t, std::size_t, std::size_t>, double> known_;
};

TEST(Sweep, IsTheRecursionOfTheDefinition) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Mdp mdp = random_mdp(7, 5, seed);
    for (const double lambda : {0.0, 5.0, 40.0}) {
      const Sweep best = sweep(mdp, lambda, nullptr, {});
      const Table next_passes = next_pass_values(mdp, lambda, nullptr, {});
      Recursion recursion(mdp, lambda);
      for (std::size_t v = 0; v < 2; ++v) {
        const double value = recursion.value(0, v, 4);
        EXPECT_NEAR(best.cost.at(0, v, 4) - lambda * best.probability.at(0, v, 4), value, 1e-9);
        EXPECT_NEAR(next_passes.at(0, v, 4), recursion.next_pass(0, {v, {}}, 4), 1e-9);
      }
    }
  }
}

TEST(NextPassValues, AreThoseOfTheSweepWithAndWithoutTheMask) {
  const MaskOptions options{.kappa = 0.9, .give_up_max = 0.02, .enough = 0.8};
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Mdp mdp = random_mdp(8, 5, seed);
    const MaxSuccess reach = max_success(mdp);
    for (const MaxSuccess* mask : {static_cast<const MaxSuccess*>(nullptr), &reach}) {
      for (const double lambda : {0.0, 5.0, 40.0}) {
        const Sweep best = sweep(mdp, lambda, mask, options);
        const Table values = next_pass_values(mdp, lambda, mask, options);
        for (std::size_t t = 0; t < mdp.ticks; ++t) {
          for (std::size_t p = 0; p < values.rows(); ++p) {
            for (std::size_t l = 0; l < mdp.levels(); ++l) {
              const double value =
                  best.next_pass_cost.at(t, p, l) - lambda * best.next_pass_probability.at(t, p, l);
              EXPECT_NEAR(values.at(t, p, l), value, 1e-9) << seed;
            }
          }
        }
      }
    }
  }
}

// The linear program in occupation measures (Puterman 1994, 8.9). y(state, action) is how often an
// action is taken. The flow into a state equals the flow out; success is at least omega; cost is
// minimal.
class OccupationLp {
 public:
  OccupationLp(const Mdp& mdp, double omega, const MaxSuccess* mask, const MaskOptions& options)
      : mdp_(mdp), next_passes_(list_next_passes(mdp)), actions_(list_actions(mdp, next_passes_)) {
    for (std::size_t t = 0; t <= mdp.ticks; ++t) {
      for (std::size_t v = 0; v < mdp.variants.size(); ++v) {
        for (std::size_t l = 0; l < mdp.levels(); ++l) add_state(t, v, l, mask, options);
      }
    }
    for (const MdpStart& start : top_starts(mdp)) add_start(start.variant);
    success_row_ = rows_;
    for (const auto& [column, chance] : successes_) {
      elements_.push_back({success_row_, column, chance});
    }
    solve(omega);
  }
  [[nodiscard]] bool feasible() const { return feasible_; }
  [[nodiscard]] double cost() const { return cost_; }

 private:
  struct Element {
    int row;
    int column;
    double value;
  };
  int row_of(std::size_t t, std::size_t v, std::size_t l) const {
    return static_cast<int>((t * mdp_.variants.size() + v) * mdp_.levels() + l);
  }

  void add_state(std::size_t t, std::size_t v, std::size_t l, const MaxSuccess* mask,
                 const MaskOptions& options) {
    const double reach = mask ? mask->probability.at(t, v, l) : 0;
    const double needed = mask && reach > options.give_up_max ? options.kappa * reach : 0;
    if (mdp_.success[l] >= needed) {
      successes_.emplace_back(columns(), mdp_.success[l]);
      elements_.push_back({row_of(t, v, l), columns(), 1});
      costs_.push_back(0);
    }
    for (const Action& action : actions_[v]) {
      const NextPass& next_pass = next_passes_[action.next_pass];
      if (!can_run(mdp_, next_pass.to, t + action.ticks)) continue;
      if (mask && mask->next_pass_probability.at(t + action.ticks, action.next_pass, l) < needed)
        continue;
      elements_.push_back({row_of(t, v, l), columns(), 1});
      flow_out(t + action.ticks, next_pass, l);
      costs_.push_back(action.cost + mdp_.variants[next_pass.to].cost);
    }
  }

  void flow_out(std::size_t tick, const NextPass& next_pass, std::size_t level) {
    const int column = columns();
    for_each_outcome(mdp_, tick, next_pass, level,
                     [&](double chance, std::size_t t, std::size_t l) {
                       elements_.push_back({row_of(t, next_pass.to, l), column, -chance});
                     });
  }

  void add_start(std::size_t variant) {
    elements_.push_back({start_row(), columns(), 1});
    flow_out(0, {variant, {}}, mdp_.levels() - 1);
    costs_.push_back(mdp_.variants[variant].cost);
    rows_ = start_row() + 1;
  }

  [[nodiscard]] int start_row() const {
    return static_cast<int>((mdp_.ticks + 1) * mdp_.variants.size() * mdp_.levels());
  }
  [[nodiscard]] int columns() const { return static_cast<int>(costs_.size()); }

  void solve(double omega) {
    std::vector<int> rows;
    std::vector<int> columns_of;
    std::vector<double> values;
    for (const Element& element : elements_) {
      rows.push_back(element.row);
      columns_of.push_back(element.column);
      values.push_back(element.value);
    }
    const CoinPackedMatrix matrix(true, rows.data(), columns_of.data(), values.data(),
                                  static_cast<CoinBigIndex>(values.size()));
    const auto row_count = static_cast<std::size_t>(success_row_ + 1);
    std::vector<double> lower(row_count, 0.0);
    std::vector<double> upper(row_count, 0.0);
    lower[row_count - 2] = upper[row_count - 2] = 1;  // Each run begins once.
    lower[row_count - 1] = omega;
    upper[row_count - 1] = COIN_DBL_MAX;
    std::vector<double> zero(costs_.size(), 0.0);
    std::vector<double> infinite(costs_.size(), COIN_DBL_MAX);
    ClpSimplex lp;
    lp.setLogLevel(0);
    lp.loadProblem(matrix, zero.data(), infinite.data(), costs_.data(), lower.data(), upper.data());
    lp.setPrimalTolerance(1e-9);
    lp.setDualTolerance(1e-9);
    lp.dual();
    feasible_ = lp.isProvenOptimal();
    cost_ = lp.objectiveValue();
  }

  const Mdp& mdp_;
  std::vector<NextPass> next_passes_;
  std::vector<std::vector<Action>> actions_;
  std::vector<Element> elements_;
  std::vector<double> costs_;                      // Cost of each column.
  std::vector<std::pair<int, double>> successes_;  // Pairs of column and chance.
  int rows_ = 0;
  int success_row_ = 0;
  bool feasible_ = false;
  double cost_ = 0;
};

TEST(Hull, IsTheLinearProgramInOccupationMeasures) {
  int feasible = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const Mdp mdp = random_mdp(8, 4, seed);
    for (const double omega : {0.3, 0.6, 0.8, 0.95}) {
      const Hull found = hull(mdp, top_starts(mdp), omega, nullptr, {});
      const OccupationLp lp(mdp, omega, nullptr, {});
      ASSERT_EQ(found.is_feasible, lp.feasible()) << seed << " " << omega;
      if (!found.is_feasible) continue;
      ++feasible;
      EXPECT_NEAR(found.cost_at_omega, lp.cost(), 1e-6 * (1 + lp.cost())) << seed << " " << omega;
    }
  }
  EXPECT_GT(feasible, 30);
}

TEST(Hull, WithTheMaskIsTheLinearProgramOverAdmissibleActions) {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const Mdp mdp = random_mdp(8, 4, seed);
    const MaxSuccess reach = max_success(mdp);
    const std::vector<MdpStart> starts = top_starts(mdp);
    const MaskOptions options{.kappa = 0.9, .give_up_max = 0.02};
    // The mask also applies to starts. The two programs are the same only if both starts are
    // admissible.
    const double a = reach.next_pass_probability.at(0, 0, 3);
    const double b = reach.next_pass_probability.at(0, 1, 3);
    if (std::min(a, b) < options.kappa * std::max(a, b)) continue;
    for (const double share : {0.92, 0.97, 0.999}) {
      const double omega = share * std::max(a, b);
      const Hull found = hull(mdp, starts, omega, &reach, options);
      const OccupationLp lp(mdp, omega, &reach, options);
      if (!found.is_feasible) continue;
      ++compared;
      EXPECT_NEAR(found.cost_at_omega, lp.cost(), 1e-6 * (1 + lp.cost())) << seed << " " << share;
    }
  }
  EXPECT_GT(compared, 15);
}

TEST(Hull, FrontierIsConvexAndRises) {
  const Mdp mdp = random_mdp(10, 5, 3);
  const double most = hull(mdp, top_starts(mdp), 1, nullptr, {}).high.probability;
  double cost = -1;
  double slope = -1;
  for (int i = 1; i <= 10; ++i) {
    const Hull at = hull(mdp, top_starts(mdp), most * i / 10, nullptr, {});
    ASSERT_TRUE(at.is_feasible);
    if (i > 1) {
      EXPECT_GE(at.cost_at_omega - cost, slope - 1e-9);
      slope = at.cost_at_omega - cost;
    }
    EXPECT_GE(at.cost_at_omega, cost);
    cost = at.cost_at_omega;
  }
}

TEST(Hull, WhatCannotBeReachedIsNotFeasible) {
  const Mdp mdp = random_mdp(3, 5, 1);
  const Hull found = hull(mdp, top_starts(mdp), 0.999999, nullptr, {});
  EXPECT_FALSE(found.is_feasible);
  const MaxSuccess reach = max_success(mdp);
  EXPECT_NEAR(
      found.high.probability,
      std::max(reach.next_pass_probability.at(0, 0, 4), reach.next_pass_probability.at(0, 1, 4)),
      1e-3);
}

TEST(Sweep, PricesTimesTenCostTenTimesWithTenTimesLambda) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Mdp mdp = random_mdp(8, 5, seed);
    const Sweep cheap = sweep(mdp, 20, nullptr, {});
    for (MdpVariant& variant : mdp.variants) variant.cost *= 10;
    for (auto& switches : mdp.switches) {
      for (MdpSwitch& change : switches) change.cost *= 10;
    }
    const Sweep dear = sweep(mdp, 200, nullptr, {});
    EXPECT_NEAR(dear.cost.at(0, 0, 4), 10 * cheap.cost.at(0, 0, 4), 1e-9);
    EXPECT_NEAR(dear.probability.at(0, 0, 4), cheap.probability.at(0, 0, 4), 1e-12);
  }
}

TEST(Sweep, WorthMoreASuccessIsLikelierAndDearer) {
  const Mdp mdp = random_mdp(9, 5, 7);
  double probability = -1;
  double cost = -1;
  for (const double lambda : {0.0, 1.0, 3.0, 10.0, 30.0, 300.0}) {
    const Sweep best = sweep(mdp, lambda, nullptr, {});
    EXPECT_GE(best.probability.at(0, 0, 4), probability - 1e-12);
    EXPECT_GE(best.cost.at(0, 0, 4), cost - 1e-12);
    probability = best.probability.at(0, 0, 4), cost = best.cost.at(0, 0, 4);
  }
}

TEST(MaxSuccess, FallsWithTimeAndLevel) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Mdp mdp = random_mdp(9, 6, seed);
    // Stochastically monotone rows: one level down or none, with the same chances everywhere.
    for (MdpVariant& variant : mdp.variants) {
      Kernel kernel;
      kernel.add_row(0, {1});
      for (std::uint32_t l = 1; l < 6; ++l) kernel.add_row(l - 1, {0.6, 0.4});
      variant.pass = kernel;
    }
    const MaxSuccess reach = max_success(mdp);
    for (std::size_t t = 0; t < 9; ++t) {
      for (std::size_t v = 0; v < 2; ++v) {
        for (std::size_t l = 0; l + 1 < 6; ++l) {
          EXPECT_GE(reach.probability.at(t, v, l), reach.probability.at(t, v, l + 1) - 1e-12);
          EXPECT_GE(reach.probability.at(t, v, l), reach.probability.at(t + 1, v, l) - 1e-12);
        }
      }
    }
  }
}

TEST(Mask, WithoutItTheOptimumGivesUpAndWithItNot) {
  // A pass costs 1 and brings half of the remaining runs to the target; a success is worth 1.5. At
  // tick 1 of 3, 3/4 of the runs can meet the target at a cost of 1.5, more than the value 1.125.
  // So without a mask the optimum is to abandon the run.
  Mdp mdp;
  mdp.ticks = 3;
  mdp.success = {1, 0};
  MdpVariant variant;
  variant.pass.add_row(0, {1});
  variant.pass.add_row(0, {0.5, 0.5});
  variant.duration = {0, 1};
  variant.cost = 1;
  mdp.variants = {variant};
  mdp.switches = {{}};
  const MaxSuccess reach = max_success(mdp);
  EXPECT_NEAR(reach.probability.at(1, 0, 1), 0.75, 1e-12);
  EXPECT_EQ(sweep(mdp, 1.5, nullptr, {}).probability.at(1, 0, 1), 0);
  EXPECT_NEAR(sweep(mdp, 1.5, &reach, {}).probability.at(1, 0, 1), 0.75, 1e-12);
  EXPECT_NEAR(sweep(mdp, 1.5, &reach, {}).cost.at(1, 0, 1), 1.5, 1e-12);
}

TEST(Mask, NoAdmissibleActionGivesUpMoreThanItMay) {
  const MaskOptions options{.kappa = 0.9, .give_up_max = 0.02};
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Mdp mdp = random_mdp(8, 5, seed);
    const MaxSuccess reach = max_success(mdp);
    const Sweep best = sweep(mdp, 0, &reach, options);  // A success has no value here.
    for (std::size_t t = 0; t < 8; ++t) {
      // The bound assumes that each of the at most 8 - t passes gives up its share.
      const double share = std::pow(options.kappa, 8.0 - static_cast<double>(t) + 1);
      for (std::size_t l = 0; l < 5; ++l) {
        const double p = reach.probability.at(t, 0, l);
        EXPECT_GE(best.probability.at(t, 0, l), share * p - options.give_up_max);
      }
    }
  }
}

TEST(Windows, VariantRunsOnlyInItsOwn) {
  Mdp mdp = random_mdp(8, 4, 5);
  mdp.variants[0].first_tick = 3;
  mdp.variants[0].last_tick = 4;
  EXPECT_FALSE(can_run(mdp, 0, 2));
  EXPECT_TRUE(can_run(mdp, 0, 3));
  EXPECT_FALSE(can_run(mdp, 0, 5));
  const Sweep best = sweep(mdp, 50, nullptr, {});
  Recursion recursion(mdp, 50);
  EXPECT_NEAR(best.cost.at(0, 1, 3) - 50 * best.probability.at(0, 1, 3), recursion.value(0, 1, 3),
              1e-9);
}

}  // namespace cmdp_test
}  // namespace surety::plan
