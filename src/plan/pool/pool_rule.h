// Which pass comes next, while attempts are in training: the one decision of a run.
//
// Every pass of every attempt is training. After each one there are these options: an attempt goes
// on, with its version or a fuller one, on these nodes or others; a fresh one begins. In each draw
// of the belief an option has a cost: what it takes to reach the target, if attempts are given up
// at the best moment and begun again; and a chance to reach the target too late. Chosen is the
// option with the least low quantile over the draws of cost + lambda * chance to be late: optimism
// pays for what might teach that another version is cheaper. It is the 10 % quantile of a version
// that was never tried, and comes nearer to the median with each attempt. Lambda is the least value
// of a success with which the chosen option is late with no more than the chance that the promise
// allows.
//
// The same quantities say when the promise can be stated, and when it is out of reach. In full:
// docs/theory.md, section 3.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plan/pool/belief.h"
#include "plan/pool/pass_times.h"

namespace surety::plan {

// A version on some nodes.
struct PoolVariant {
  std::uint32_t version = 0;
  std::uint32_t family = 0;  // Attempts go over to versions of their own family only.
  bool may_begin = true;     // A fresh attempt may begin with it. REQUIRES: true for one at least.
  VariantTime time;          // Of a pass.
  double price_per_s = 1;    // Of its nodes.
  double start_s = 0;        // Of an attempt that begins with it, or that it takes over.
  double workers_log = 0;    // As SeenPass has it.
};

// An attempt that may go on: its last checkpoint is there.
struct PoolHand {
  std::uint32_t attempt = 0;
  std::uint32_t variant = 0;  // Of its last pass.
  bool loaded = true;         // It is in training: going on needs no start.
  std::uint32_t passes = 0;   // Done so far, of passes_max.
};

struct PoolGoal {
  double target = 0;         // Of the metric on the deciding samples: margin included.
  double probability = 0.9;  // Promised.
  double confirmed = 1;      // That the certifying samples agree where the deciding ones stop.
  std::uint32_t passes_max = 200;  // Of an attempt.
  bool switches = true;            // An attempt may go over to a fuller version.
  // Attempts so far, by version; an attempt that has had few passes counts in part. Empty: none.
  std::vector<double> tried = {};
};

struct PoolMoment {
  double seconds_left = 0;  // To the deadline, certification taken off.
  std::optional<double> money_left = {};
};

struct PoolOption {
  std::optional<std::uint32_t> attempt;  // None: a fresh one.
  std::uint32_t variant = 0;
  double cost = 0;  // 10 % quantile over the draws, in money.
  double cost_mean = 0;
  double late = 1;  // Mean chance not to reach the target in time and for the money.
  double kept_mean = 0, kept_high = 1;     // Of being certified; kept_high is the 97.5 % quantile.
  double passes_low = 0, passes_high = 0;  // In hand: passes to the target, 10 and 90 % quantile.
};

struct PoolChoice {
  PoolOption option;
  double kept_high = 1;             // The best of the options: what is possible.
  std::vector<PoolOption> options;  // All of them.
  // Of each of them, in each draw: the chance to be certified.
  std::vector<std::vector<double>> kept;
};

// REQUIRES: variants is not empty; versions of `belief`. `common_sd`: PassTimes::common_sd();
// `scaled`: times are relative, because no pass was seen: nothing is late then.
// O(draws * options * log passes_max).
[[nodiscard]] PoolChoice choose(const Belief& belief, const std::vector<PoolVariant>& variants,
                                double common_sd, bool scaled, const std::vector<PoolHand>& hands,
                                const PoolGoal& goal, const PoolMoment& now);

// Passes after which a fresh attempt with this version on so many workers (as SeenPass has them)
// has reached the target with that chance, as the belief is now; at most passes_max. O(draws * log
// passes_max).
[[nodiscard]] std::uint32_t passes_to_reach(const Belief& belief, std::uint32_t version,
                                            double workers_log, double target, double chance,
                                            std::uint32_t passes_max);

}  // namespace surety::plan
