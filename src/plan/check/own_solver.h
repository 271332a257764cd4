// The decision process of a setting, solved with dense matrices on the checker's own levels, ticks
// and classes.
//
//   V(t,v,l) = min { -lambda s(l); R(t,v,v,l); cost of the switch + R(t + switch, v, w, l) }
//   R(t,f,w,l) = cost of a pass + E[ V(t + its ticks, w, l') ]
//
// where R begins at the level after the jump f -> w. The minimum is over actions that keep at least
// kMaskShare of the success that can be reached, for each class of the run effect. Stopping is also
// allowed with the promised chance of success, which is enough to keep the promise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plan/types.h"

namespace surety::plan::check {

struct Goal {
  double lambda = 0;    // Value of a success, in money.
  double promised = 1;  // The probability that was promised.
};

struct Grid {
  std::uint32_t levels = 80;
  std::uint32_t ticks = 160;
};

class OwnSolver {
 public:
  static constexpr double kMaskShare = 0.97;
  static constexpr double kGiveUpMax = 0.02;

  // REQUIRES: grid.levels >= 10; grid.ticks >= 10; the setting outlives it.
  OwnSolver(const plan::Setting& setting, Goal goal, Grid grid);

  // The value of a pass of `to` for a run at `metric` with variant `from`, if the pass begins at
  // `seconds`. The belief about the run's effect is normal with this mean and standard deviation.
  // It is not possible if the pass may not begin at that time.
  struct PassValue {
    // Expected future cost, less lambda times success, without the cost of the switch.
    double value = 0;
    double success = 0;  // The highest success probability that can be reached.
    bool is_possible = false;
  };
  struct Effect {
    double mean = 0;
    double sd = 0;
  };
  [[nodiscard]] PassValue pass(std::size_t from, std::size_t to, double seconds, double metric,
                               Effect effect) const;
  [[nodiscard]] double pass_cost(std::size_t variant) const { return cost_[variant]; }
  [[nodiscard]] const Goal& goal() const { return goal_; }
  // Whether an action with this chance of success is allowed, where `most` can be reached.
  [[nodiscard]] bool allows(bool stops, double success, double most) const;

 private:
  using Matrix = std::vector<std::vector<double>>;

  struct ClassTables {
    double effect = 0;
    // Indexed [tick][from][to][level]: the value of a pass of `to`, and the success that can be
    // reached.
    std::vector<std::vector<Matrix>> value;
    std::vector<std::vector<Matrix>> success;
    std::vector<Matrix> best;   // V, indexed [tick][variant][level].
    std::vector<Matrix> reach;  // The highest success, indexed [tick][variant][level].
  };

  void fill_levels();
  void fill_durations();
  // A position between two levels: the lower one, and the share of the way to the next.
  struct Place {
    std::size_t low = 0;
    double share = 0;
  };
  [[nodiscard]] Place place_of(double metric) const;
  void add_chance(std::vector<double>& row, double metric, double chance) const;
  [[nodiscard]] Matrix pass_matrix(std::size_t variant, double effect) const;
  [[nodiscard]] Matrix jump_matrix(std::size_t from, std::size_t to) const;
  [[nodiscard]] bool may_begin(std::size_t variant, std::size_t tick) const;
  [[nodiscard]] ClassTables solve(double effect) const;
  void fill_passes(std::size_t t, const std::vector<Matrix>& matrices, ClassTables& tables) const;
  void decide(std::size_t t, std::size_t v, std::size_t l, ClassTables& tables) const;
  [[nodiscard]] static std::vector<double> multiply(const Matrix& matrix,
                                                    const std::vector<double>& values);

  const plan::Setting& setting_;
  Goal goal_;
  Grid grid_;
  double tick_s_ = 1;
  std::vector<double> levels_;
  std::vector<double> cost_;
  std::vector<double> mean_s_;
  Matrix duration_;                         // Indexed by variant and ticks.
  std::vector<std::vector<Matrix>> jumps_;  // Indexed by from and to.
  std::vector<ClassTables> classes_;        // Ascending run effects, evenly spaced.
};

}  // namespace surety::plan::check
