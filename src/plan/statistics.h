// The little statistics that the planner needs: quantiles, the normal distribution, and random
// numbers that are a function of where they are used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace surety::plan {

// Linear interpolation between order statistics (type 7 of Hyndman and Fan 1996).
// REQUIRES: not empty; 0 <= p <= 1. O(n log n).
[[nodiscard]] double quantile(std::vector<double> values, double p);
[[nodiscard]] double median(std::vector<double> values);

[[nodiscard]] double mean(std::span<const double> values);
// With n - 1 in the denominator; 0 for fewer than two values.
[[nodiscard]] double variance(std::span<const double> values);

// As variance(), of those below the mean only: the mean square of how far they are below it. The
// same in expectation where the values are symmetric. 0 for fewer than two values.
[[nodiscard]] double variance_below(std::span<const double> values);

// How many of `count` may fail where `confidence` of them must not.
[[nodiscard]] std::size_t may_fail(std::size_t count, double confidence);

// The highest order statistic that `confidence` of the values are at or above.
// REQUIRES: not empty.
[[nodiscard]] double percentile_of(std::vector<double> values, double confidence);

// Phi^-1(p), relative error below 1.2e-9 (rational approximation of Acklam 2003).
// REQUIRES: 0 < p < 1.
[[nodiscard]] double normal_quantile(double p);

// Phi(z).
[[nodiscard]] double normal_probability(double z);

// log(e^a + e^b), also where neither e^a nor e^b is a number that fits.
[[nodiscard]] double log_of_sum(double a, double b);

// Lower end of the exact one-sided interval for a probability (Clopper and Pearson 1934): the p for
// which so many successes or more have chance 1 - confidence; 0 for none. REQUIRES: runs > 0.
[[nodiscard]] double binomial_lower(std::uint32_t successes, std::uint32_t runs, double confidence);

// A standard normal that depends on its coordinates alone, so that two schedules, simulated with
// the same seed, meet the same luck in the same run and pass (common random numbers), and the order
// of evaluation does not matter.
class CounterNormal {
 public:
  CounterNormal(std::uint64_t seed, std::uint64_t run);
  // `pass` counts from the start of the run, `use` tells draws of one pass apart.
  [[nodiscard]] double at(std::uint32_t pass, std::uint32_t use) const;
  // In (0, 1) instead: at() is its normal quantile.
  [[nodiscard]] double uniform(std::uint32_t pass, std::uint32_t use) const;

 private:
  std::uint64_t key_;
};

}  // namespace surety::plan
