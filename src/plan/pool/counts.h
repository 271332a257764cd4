// What a promise may rest on besides the laws of learning: how many attempts of earlier jobs
// reached the target.
//
// Attempts of jobs that are alike come in an order; each is good or has failed. The bound holds at
// any time of looking, however often one looks: for every share p of good attempts, the chance that
// the bound is ever above p is at most 1 - confidence. With g good and f failed attempts
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

// The first attempt of an earlier job: the others were begun because of what it showed.
struct CountedAttempt {
  std::uint64_t seed = 0;
  std::string version;          // That it began with.
  std::vector<double> metrics;  // After each pass, as the planner minimises.
  double metric_se = 0;         // Of the last one.
  // False: the deciding samples said that the target was reached, and the certifying ones did not.
  bool confirmed = true;

  // Its newest pass; what there was of later ones was lost and is done again.
  void saw(std::uint32_t passes, double metric, double se);
};

struct Counts {
  std::uint32_t good = 0;
  // With those that were given up earlier. One that ended before its first pass did, and one whose
  // job was not over, are not among the attempts.
  std::uint32_t failed = 0;
  std::uint32_t hopeless = 0;  // Of the failed ones, those that had all their passes.
};

// What attempts are counted for.
struct CountedGoal {
  double target = 0, probability = 0;  // As stop_metric() has them.
};

// Of the attempts that began with `version` and had not stopped at the goal after `after` passes:
// which had up to `allotted`. An attempt with a seed that was there before says nothing
// new.
[[nodiscard]] Counts count(std::span<const CountedAttempt> attempts, const std::string& version,
                           const CountedGoal& goal, std::uint32_t after, std::uint32_t allotted);

// The largest share of good attempts that can be claimed; 0: none.
// REQUIRES: 0 < confidence < 1. O(good + failed).
[[nodiscard]] double good_share(std::uint32_t good, std::uint32_t failed, double confidence);

// That one of so many further attempts is good, where each is with this chance. `alike`, in [0, 1):
// the correlation of attempts, because they share the machine and the split of the data.
[[nodiscard]] double one_is_good(double share, std::uint32_t attempts, double alike);

}  // namespace surety::plan
