// What another planner costs at the success that ours realises, judged on other runs than it was
// calibrated on.
//
// A planner that promises 0.9 and keeps 0.99 is dearer than it need be, and one that keeps 0.7
// looks cheap, so costs are compared at equal success: by the cheapest mixture of two of the other
// planner's plans (a coin decides which of them a run follows) that keeps what ours keeps. Chosen
// on the runs that it is judged on, such a mixture profits from their luck. So the seeds are
// divided into two halves; the mixture is chosen on one and judged on the other, then the other way
// round, and both are averaged. All plans are run with the same seeds, so a seed, not a run, is
// what intervals are drawn from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace surety::bench {

// What one plan came to with one seed.
struct SeedRun {
  bool kept = false;  // The promise.
  double cost = 0;
};
using SeedRuns = std::vector<SeedRun>;   // By seed, in the same order for every plan.
using Seeds = std::vector<std::size_t>;  // Indices into SeedRuns; the same one may be there twice.

struct Halves {
  Seeds first, second;
};
// Every other seed. REQUIRES: at least two.
[[nodiscard]] Halves halves_of(std::size_t seeds);

// Follows plan `likelier` with chance `weight`, else plan `cheaper`.
struct Mixture {
  std::size_t likelier = 0, cheaper = 0;
  double weight = 1;
};
// The cheapest on these seeds that keeps at least this share of them. None where no plan does.
// Ties: the one with the lower indices. REQUIRES: seeds not empty. O(plans^2 + plans * seeds).
[[nodiscard]] std::optional<Mixture> cheapest_mixture(const std::vector<SeedRuns>& plans,
                                                      double share, const Seeds& seeds);

// Means over seeds.
struct Judged {
  double share = 0, cost = 0;
};
[[nodiscard]] Judged judge(const SeedRuns& plan, const Seeds& seeds);
[[nodiscard]] Judged judge(const std::vector<SeedRuns>& plans, const Mixture& mixture,
                           const Seeds& seeds);

// The other planner at the success of ours: on each half judged as the other half chose. None where
// one of the halves has no mixture that keeps what ours keeps on it.
[[nodiscard]] std::optional<Judged> cross_judged(const std::vector<SeedRuns>& plans,
                                                 const SeedRuns& ours, const Halves& halves);

struct Interval {
  double low = 0, high = 0;
  double share = 0;  // Of the bootstrap's draws in which there was a value.
};
// The middle 90 % of `value` over `draws` bootstrap draws of the seeds, each half by itself, so
// that no seed is in both. None where fewer than half of the draws have a value.
// Deterministic. REQUIRES: draws > 0.
using OfHalves = std::function<std::optional<double>(const Halves&)>;
[[nodiscard]] std::optional<Interval> bootstrap(const Halves& halves, const OfHalves& value,
                                                std::uint32_t draws);

}  // namespace surety::bench
