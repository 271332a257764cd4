// The cost of another planner at the success of our planner, judged on other runs than those it was
// calibrated on.
//
// Costs must be compared at equal success: a planner that promises 0.9 and keeps 0.99 costs more
// than necessary, and one that keeps 0.7 looks cheap. So ours is compared with the cheapest mixture
// of two of the other planner's plans that keeps what ours keeps. In a mixture, a coin decides
// which plan a run follows.
//
// If a mixture were judged on the runs that it was chosen on, the result would be biased by the
// selection. So the seeds are divided into two halves. The mixture is chosen on one and judged on
// the other, then the other way round, and the results are averaged. All plans are run with the
// same seeds, so intervals are drawn over seeds and not over runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace surety::bench {

// The result of one plan with one seed.
struct SeedRun {
  bool kept = false;  // Whether the promise was kept.
  double cost = 0;
};
// One entry for each seed, in the same order for every plan.
using SeedRuns = std::vector<SeedRun>;
// Indices into SeedRuns; an index may occur more than once.
using Seeds = std::vector<std::size_t>;

struct Halves {
  Seeds first;
  Seeds second;
};
// Puts the seeds alternately into the halves. REQUIRES: at least two seeds.
[[nodiscard]] Halves halves_of(std::size_t seeds);

// A random choice: plan `likelier` with probability `weight`, otherwise plan `cheaper`.
struct Mixture {
  std::size_t likelier = 0;
  std::size_t cheaper = 0;
  double weight = 1;
};
// The cheapest mixture on these seeds that keeps at least this share of them. Nothing if no plan
// does. Ties go to the lower indices. REQUIRES: seeds not empty. O(plans^2 + plans * seeds).
[[nodiscard]] std::optional<Mixture> cheapest_mixture(const std::vector<SeedRuns>& plans,
                                                      double share, const Seeds& seeds);

// Means over seeds.
struct Judged {
  double share = 0;
  double cost = 0;
};
[[nodiscard]] Judged judge(const SeedRuns& plan, const Seeds& seeds);
[[nodiscard]] Judged judge(const std::vector<SeedRuns>& plans, const Mixture& mixture,
                           const Seeds& seeds);

// The other planner at the success of ours: on each half, the mixture that was chosen on the other
// half is judged. Nothing if one of the halves has no mixture that keeps what ours keeps on it.
[[nodiscard]] std::optional<Judged> cross_judged(const std::vector<SeedRuns>& plans,
                                                 const SeedRuns& ours, const Halves& halves);

struct Interval {
  double low = 0;
  double high = 0;
  double share = 0;  // Share of the bootstrap's draws that had a value.
};
// The middle 90 % of `value` over `draws` bootstrap draws of the seeds. Each half is drawn by
// itself, so that no seed is in both. Nothing if fewer than half of the draws have a value.
// Deterministic. REQUIRES: draws > 0.
using OfHalves = std::function<std::optional<double>(const Halves&)>;
[[nodiscard]] std::optional<Interval> bootstrap(const Halves& halves, const OfHalves& value,
                                                std::uint32_t draws);

}  // namespace surety::bench
