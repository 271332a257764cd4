// Chooses the next pass while attempts are in training. This is the central decision of a run.
//
// Every pass of every attempt is training. After each pass the options are: an attempt continues,
// with its version or a fuller one, on the same nodes or others; or a fresh attempt begins.
//
// In each draw of the belief an option has two values. The first is its cost until the target is
// reached, if attempts are abandoned at the best moment and replaced by fresh ones. The second is
// its chance to reach the target too late.
//
// For each option the rule computes a low quantile over the draws of cost + lambda * chance to be
// late, and chooses the option for which this quantile is smallest. A low quantile is optimistic:
// it pays for passes that may show that another version is cheaper. It is the 10 % quantile for a
// version that was never tried, and approaches the median with each attempt. Lambda is the value of
// a success: the smallest one at which the chosen option is late with at most the chance that the
// promise allows.
//
// The same quantities determine when the promise is stated and when it is refused. Details:
// docs/theory.md, section 3.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plan/belief/belief.h"
#include "plan/choice/pass_times.h"

namespace surety::plan {

// A version on some nodes.
struct PoolVariant {
  std::uint32_t version = 0;
  std::uint32_t family = 0;  // An attempt changes only to versions of its own family.
  // Whether a fresh attempt may begin with it. REQUIRES: true for at least one variant, if there is
  // no candidate.
  bool may_begin = true;
  VariantTime time;        // Duration of a pass.
  double price_per_s = 1;  // Price of all its nodes.
  double start_s = 0;      // Start of an attempt that is not in training with this variant.
  double workers_log = 0;  // Log of the workers over the number that the guesses are for.
};

// An attempt that may continue from its last checkpoint.
struct PoolCandidate {
  std::uint32_t attempt = 0;
  std::uint32_t variant = 0;  // Variant of its last pass.
  bool loaded = true;         // Whether it is in training now: continuing needs no start.
  std::uint32_t passes = 0;   // Passes done so far, out of passes_max.
};

struct PoolGoal {
  double target = 0;         // Metric to reach on the deciding samples; the margin is subtracted.
  double probability = 0.9;  // The promised probability.
  double confirmed = 1;      // Chance that the certifying samples agree when training stops.
  std::uint32_t passes_max = 200;  // Limit for one attempt.
  bool switches = true;            // Whether an attempt may change to a fuller version.
  // Attempts so far, by version. An attempt with few passes counts in part. Empty means no
  // attempts.
  std::vector<double> tried = {};
};

struct PoolMoment {
  double seconds_left = 0;  // Time to the deadline, without the time for certification.
  std::optional<double> money_left = {};
};

struct PoolOption {
  std::optional<std::uint32_t> attempt;  // None means a fresh attempt.
  std::uint32_t variant = 0;
  // Cost in money until the target is reached, 10 % quantile over the draws. This number is only
  // shown in the log. Options are compared by a quantile of cost + lambda * late (see above). The
  // cost in a draw has no limit: if the target is out of reach, it is the cost of a million passes.
  double cost = 0;
  // Mean over the draws of the money that will be spent until the target is reached or the time or
  // the money is used up. If no fresh attempt may follow, spending also ends with the passes of the
  // attempt. This number is only shown to people.
  double cost_mean = 0;
  double late = 1;  // Mean chance to miss the target within the time and money left.
  // Chance to be certified: mean and 97.5 % quantile over the draws.
  double kept_mean = 0;
  double kept_high = 1;
  // If an attempt continues: its remaining passes, and its passes to the target as 10 and 90 %
  // quantiles over the draws. A number above passes_left means that the attempt does not reach the
  // target.
  std::uint32_t passes_left = 0;
  double passes_low = 0;
  double passes_high = 0;
};

struct PoolChoice {
  PoolOption option;
  double kept_high = 1;  // The highest kept_high of all options: the best possible chance.
  std::vector<PoolOption> options;
  // The chance to be certified, by option and draw.
  std::vector<std::vector<double>> kept;
};

// REQUIRES: variants is not empty; their versions are those of `belief`. `common_sd`:
// PassTimes::common_sd(). `scaled`: times are relative, because no pass was observed yet; then no
// option is late. O(draws * options * log passes_max).
[[nodiscard]] PoolChoice choose(const Belief& belief, const std::vector<PoolVariant>& variants,
                                double common_sd, bool scaled,
                                const std::vector<PoolCandidate>& candidates, const PoolGoal& goal,
                                const PoolMoment& now);

// The number of passes after which a fresh attempt with this version has reached the target with
// the given chance, under the current belief; at most passes_max. `workers_log`: as in SeenPass.
// O(draws * log passes_max).
[[nodiscard]] std::uint32_t passes_to_reach(const Belief& belief, std::uint32_t version,
                                            double workers_log, double target, double chance,
                                            std::uint32_t passes_max);

}  // namespace surety::plan
