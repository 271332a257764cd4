// The cheapest way to keep a promise while reacting to observations. It is a Markov decision
// process over (tick, variant, level of the metric) with the chance constraint P(success) >= omega,
// solved through its Lagrangian. For a multiplier lambda, the value of a success,
//
//   V(t,v,l) = min { -lambda s(l)                                          stop here
//                    min_w  c_vw + sum_l' S_vw(l,l') R(t + tau_vw, w, l')  run a pass of w, after
//                  }                                                       a switch if w is not v
//   R(t,w,l) = c_w + sum_l' K_w(l,l') sum_d p_w(d) [t + d <= T] V(t + d, w, l')
//
// where s(l) is the chance that stopping at level l succeeds. A pass that ends after T is lost. One
// backward sweep is exact.
//
// The mask: minimising cost subject to P >= omega rewards failure of 1 - omega of the runs. An
// exact optimiser uses this: it abandons runs, or switches to a version that cannot reach the
// target. So an action is admissible only if it keeps nearly all of the success that can be
// reached: E[p(next)] >= kappa p(here), where p is the highest success probability that can be
// reached (max_success()). If p <= give_up_max, every action is admissible. The mask does not
// depend on lambda.
//
// This file works on numbers alone and knows no laws, metrics or seconds. The belief about the run
// effect is handled in plan/closed_loop/closed_loop.h, which solves one such process for each
// class.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "plan/decision/kernel.h"

namespace surety::plan {

struct MdpVariant {
  Kernel pass;                   // Chances of the next level, for each level.
  std::vector<double> duration;  // Chance of d ticks at index d; entry 0 is 0; sum at most 1.
  double cost = 0;               // Expected cost of a pass.
  // Passes may begin only at ticks in this range.
  std::uint32_t first_tick = 0;
  std::uint32_t last_tick = std::numeric_limits<std::uint32_t>::max();
};

// A switch to variant `to`, which takes effect before its next pass.
struct MdpSwitch {
  std::size_t to = 0;
  std::uint32_t ticks = 0;
  double cost = 0;
  std::optional<std::size_t> jump;  // Index in Mdp::jumps. None means that the level stays.
};

struct Mdp {
  std::uint32_t ticks = 0;      // T, the number of ticks to the deadline.
  std::vector<double> success;  // s(l), by level.
  std::vector<MdpVariant> variants;
  std::vector<Kernel> jumps;  // Effects of switches on the level.
  // Indexed by variant; each target appears once, in ascending order.
  std::vector<std::vector<MdpSwitch>> switches;

  [[nodiscard]] std::size_t levels() const { return success.size(); }
};

struct MaskOptions {
  // An action is admissible if it keeps at least this share of the highest chance of success.
  double kappa = 0.97;
  double give_up_max = 0.02;  // If the highest chance is at most this, every action is admissible.
  double enough = 1;          // Stopping with at least this chance of success is always admissible.
};

// A possible next action: a pass of a variant, directly or after a jump of the level. Many switches
// lead to the same next pass, so tables have one row for each next pass.
struct NextPass {
  std::size_t to = 0;
  std::optional<std::size_t> jump;
  friend auto operator<=>(const NextPass&, const NextPass&) = default;
};
// The first next passes are passes without a jump: next pass v is a pass of variant v, for v <
// variants.
[[nodiscard]] std::vector<NextPass> list_next_passes(const Mdp& mdp);

// A next pass that may be chosen in a state; its pass begins `ticks` later.
struct Action {
  std::size_t next_pass = 0;
  std::uint32_t ticks = 0;
  double cost = 0;
};
// The actions for each variant, in the order that breaks ties: first the pass of the same variant.
[[nodiscard]] std::vector<std::vector<Action>> list_actions(
    const Mdp& mdp, const std::vector<NextPass>& next_passes);

// Values by (tick, variant or next pass, level), contiguous, with the level as the fastest index.
class Table {
 public:
  Table() = default;
  Table(std::size_t ticks, std::size_t rows, std::size_t levels)
      : rows_(rows), levels_(levels), values_((ticks + 1) * rows * levels) {}

  [[nodiscard]] double& at(std::size_t tick, std::size_t row, std::size_t level) {
    return values_[(tick * rows_ + row) * levels_ + level];
  }
  [[nodiscard]] double at(std::size_t tick, std::size_t row, std::size_t level) const {
    return values_[(tick * rows_ + row) * levels_ + level];
  }
  [[nodiscard]] const double* row(std::size_t tick, std::size_t row) const {
    return &values_[(tick * rows_ + row) * levels_];
  }

  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t levels() const { return levels_; }
  // All values in storage order.
  [[nodiscard]] const std::vector<double>& values() const { return values_; }

 private:
  std::size_t rows_ = 0;
  std::size_t levels_ = 0;
  std::vector<double> values_;
};

// The highest success probability that can be reached. O(ticks * levels * (next passes * kernel row
// + variants * (durations + actions))).
struct MaxSuccess {
  Table probability;            // One row for each variant.
  Table next_pass_probability;  // One row for each next pass.
};
[[nodiscard]] MaxSuccess max_success(const Mdp& mdp);

// The values of the next passes, at (tick, next pass, level), when cost - lambda * success is
// minimised among admissible actions. Without a mask all are admissible. Ties: stop first, then the
// pass of the same variant, then the order of the switches.
[[nodiscard]] Table next_pass_values(const Mdp& mdp, double lambda, const MaxSuccess* mask,
                                     const MaskOptions& options);

// Whether a pass of the variant may begin at this tick.
[[nodiscard]] bool can_run(const Mdp& mdp, std::size_t variant, std::size_t tick);

// The start of a run: a variant, before its first pass, and the chances of its level.
struct MdpStart {
  std::size_t variant = 0;
  double cost = 0;  // Paid once, before anything else.
  std::vector<double> levels;
};

}  // namespace surety::plan
