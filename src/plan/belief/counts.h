// Counts the attempts of earlier jobs that reached the target. A promise may rest on these counts
// instead of the laws of learning.
//
// Attempts of similar jobs come in an order; each is good or has failed. The bound holds at any
// time, however often it is evaluated: for every true share p of good attempts, the chance that the
// bound ever exceeds p is at most 1 - confidence. With g good and f failed attempts
//
//   E(q) = 0.9 [f = 0] q^-g + 0.1 B(g+1, f+1) (1 - I_q(g+1, f+1)) / (q^g (1 - q)^(f+1))
//
// falls in q, and at q = p it is a non-negative martingale that starts at 1 (Ville's inequality;
// docs/theory.md, section 4).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace surety::plan {

// The first attempt of an earlier job. Later attempts are not counted, because they were begun as a
// consequence of the first attempt's metrics.
struct CountedAttempt {
  std::uint64_t seed = 0;
  std::string version;          // Version of its first pass.
  std::vector<double> metrics;  // Metric after each pass; lower is better.
  double metric_se = 0;         // Standard error of the last metric.
  // False: the target was reached on the deciding samples, but not on the certifying ones.
  bool confirmed = true;

  // Adds the newest pass. Metrics of later passes are removed: those passes were lost and are
  // repeated.
  void observe(std::uint32_t passes, double metric, double se);
};

struct Counts {
  std::uint32_t good = 0;
  // Includes attempts that were abandoned early. Does not include attempts that ended before their
  // first pass, or attempts of jobs that were not over.
  std::uint32_t failed = 0;
  std::uint32_t hopeless = 0;  // Failed attempts that had all their passes.
};

// The condition for reaching the target.
struct CountedGoal {
  double target = 0;       // An argument of stop_metric().
  double probability = 0;  // An argument of stop_metric().
};

// Counts the attempts that began with `version` and had not stopped at the goal after `after`
// passes. An attempt is good if it reached the goal within `allotted` passes. An attempt with the
// seed of an earlier attempt is ignored.
[[nodiscard]] Counts count(std::span<const CountedAttempt> attempts, const std::string& version,
                           const CountedGoal& goal, std::uint32_t after, std::uint32_t allotted);

// The largest share of good attempts that can be claimed; 0 if none can.
// REQUIRES: 0 < confidence < 1.
// O(good + failed).
[[nodiscard]] double good_share(std::uint32_t good, std::uint32_t failed, double confidence);

// Chance that one of `attempts` further attempts is good, if each is good with chance `share`.
// `alike`, in [0, 1): correlation of the attempts, which share the machine and the split of the
// data.
[[nodiscard]] double one_is_good(double share, std::uint32_t attempts, double alike);

}  // namespace surety::plan
