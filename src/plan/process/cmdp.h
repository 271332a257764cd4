// The cheapest way to keep a promise, reacting to what is observed: a Markov decision process over
// (tick, variant, level of the metric) with the chance constraint P(success) >= omega, solved
// through its Lagrangian. For a multiplier lambda, the value of a success,
//
//   V(t,v,l) = min { -lambda s(l)                                         stop here
//                    min_w  c_vw + sum_l' S_vw(l,l') R(t + tau_vw, w, l') switch to w if need be,
//                    run
//                  }                                                      a pass of it
//   R(t,w,l) = c_w + sum_l' K_w(l,l') sum_d p_w(d) [t + d <= T] V(t + d, w, l')
//
// where s(l) is the chance that stopping at level l succeeds. A pass that ends after T is lost. One
// backward sweep is exact; expected cost and success probability of the minimiser come along.
//
// The no-sabotage mask: minimising cost subject to P >= omega pays for failing 1 - omega of the
// runs, and an exact optimiser collects, by giving up or by switching to a version that cannot get
// there. So an action is admissible only if it keeps nearly all of the success that is in reach:
// E[p(next)] >= kappa p(here), with p the highest success probability in reach (max_success());
// whatever is done when p <= give_up_max. The mask does not depend on lambda.
//
// Numbers in, numbers out: knows no laws, no metric, no seconds. Belief over the run effect is a
// matter of closed_loop.h, which solves one of these per class.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "plan/process/kernel.h"

namespace surety::plan {

struct MdpVariant {
  Kernel pass;                   // Level to level.
  std::vector<double> duration;  // Chance of d ticks at index d; index 0 is 0; sums to at most 1.
  double cost = 0;               // Expected, of a pass.
  // Passes may begin at these ticks only.
  std::uint32_t first_tick = 0, last_tick = std::numeric_limits<std::uint32_t>::max();
};

// To variant `to`, taking effect before its next pass.
struct MdpSwitch {
  std::size_t to = 0;
  std::uint32_t ticks = 0;
  double cost = 0;
  std::optional<std::size_t> jump;  // In Mdp::jumps; none: the level stays.
};

struct Mdp {
  std::uint32_t ticks = 0;      // T, to the deadline.
  std::vector<double> success;  // s(l) by level.
  std::vector<MdpVariant> variants;
  std::vector<Kernel> jumps;                     // What switches do to the level.
  std::vector<std::vector<MdpSwitch>> switches;  // By variant; each target once, ascending.

  [[nodiscard]] std::size_t levels() const { return success.size(); }
};

struct MaskOptions {
  double kappa = 0.97;
  double give_up_max = 0.02;
  double enough = 1;  // Stopping with this chance of success is never sabotage.
};

// What can be done next: a pass of a variant, at once or after a jump of the level. Many switches
// come to the same play, so tables are kept by play.
struct Play {
  std::size_t to = 0;
  std::optional<std::size_t> jump;
  friend auto operator<=>(const Play&, const Play&) = default;
};
// Play v < variants is a pass of variant v without a jump.
[[nodiscard]] std::vector<Play> list_plays(const Mdp& mdp);

// A play that may be chosen in a state, `ticks` after it.
struct Action {
  std::size_t play = 0;
  std::uint32_t ticks = 0;
  double cost = 0;
};
// By variant, in the order in which ties are broken: the pass of the same variant first.
[[nodiscard]] std::vector<std::vector<Action>> list_actions(const Mdp& mdp,
                                                            const std::vector<Play>& plays);

// Values by (tick, variant or play, level), contiguous, level fastest.
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
  // In the order of storage.
  [[nodiscard]] const std::vector<double>& values() const { return values_; }

 private:
  std::size_t rows_ = 0, levels_ = 0;
  std::vector<double> values_;
};

// What a sweep found: of the best action at (tick, variant, level), and of each play at (tick,
// play, level). The value is cost - lambda * probability.
struct Sweep {
  Table probability, cost;
  Table play_probability, play_cost;
};

// Highest success probability in reach.
// O(ticks * levels * (plays * kernel row + variants * (durations + actions))).
struct MaxSuccess {
  Table probability;       // By variant.
  Table play_probability;  // By play.
};
[[nodiscard]] MaxSuccess max_success(const Mdp& mdp);

// Minimises cost - lambda * success among admissible actions; all are where `mask` is null. Ties:
// stop, then the pass of the same variant, then the order of the switches.
[[nodiscard]] Sweep sweep(const Mdp& mdp, double lambda, const MaxSuccess* mask,
                          const MaskOptions& options);
// The values of the plays alone: all that a policy looks into. Half the work.
[[nodiscard]] Table play_values(const Mdp& mdp, double lambda, const MaxSuccess* mask,
                                const MaskOptions& options);

// May a pass of the variant begin at this tick?
[[nodiscard]] bool can_run(const Mdp& mdp, std::size_t variant, std::size_t tick);

// Where a run begins: a variant (its first pass is still to come) and chances of its level.
struct MdpStart {
  std::size_t variant = 0;
  double cost = 0;  // One-off, before anything else.
  std::vector<double> levels;
};

}  // namespace surety::plan
