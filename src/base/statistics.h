// Statistics: quantiles, the normal distribution, and random numbers that are a function of their
// coordinates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace surety {

// Linear interpolation between order statistics (type 7 of Hyndman and Fan 1996).
// REQUIRES: not empty; 0 <= p <= 1.
// O(n) on average.
[[nodiscard]] double quantile(std::vector<double> values, double p);
[[nodiscard]] double median(std::vector<double> values);

[[nodiscard]] double mean(std::span<const double> values);
// The sample variance, with n - 1 in the denominator. It is 0 for fewer than two values.
[[nodiscard]] double variance(std::span<const double> values);

// The standard error of a share of `count` values. A share of 0 or 1 is still uncertain for other
// values: one more of each kind gives an estimate (Laplace's rule of succession).
// REQUIRES: 0 <= share <= 1; count > 0.
[[nodiscard]] double share_se(double share, double count);

// Like variance(), but from the values below the mean only: the mean square of their distance from
// the mean. For symmetric values it equals variance() in expectation. It is 0 for fewer than two
// values.
[[nodiscard]] double variance_below(std::span<const double> values);

// How many of `count` may fail if the share `confidence` must not fail.
[[nodiscard]] std::size_t may_fail(std::size_t count, double confidence);

// The highest order statistic for which the share `confidence` of the values is at or above it.
// REQUIRES: not empty.
[[nodiscard]] double percentile_of(std::vector<double> values, double confidence);

// Phi^-1(p), with a relative error below 1.2e-9 (rational approximation of Acklam 2003).
// REQUIRES: 0 < p < 1.
[[nodiscard]] double normal_quantile(double p);

// The standard normal distribution function Phi(z).
[[nodiscard]] double normal_probability(double z);

// Student's distribution function with this many degrees of freedom, by its closed form (Abramowitz
// and Stegun 26.7.3 and 26.7.4). REQUIRES: degrees >= 1. O(degrees).
[[nodiscard]] double student_probability(double t, unsigned degrees);

// log(e^a + e^b), also if e^a or e^b is out of range.
[[nodiscard]] double log_of_sum(double a, double b);

// Lower end of the exact one-sided interval for a probability (Clopper and Pearson 1934). It is the
// p for which this number of successes or more has the chance 1 - confidence; 0 for no success.
// REQUIRES: runs > 0.
[[nodiscard]] double binomial_lower(std::uint32_t successes, std::uint32_t runs, double confidence);

// A standard normal that depends on its coordinates alone. Two schedules that are simulated with
// the same seed have the same random numbers in the same run and pass (common random numbers), and
// the order of evaluation does not matter.
class CounterNormal {
 public:
  CounterNormal(std::uint64_t seed, std::uint64_t run);
  // `pass` counts from the start of the run; `use` distinguishes the draws of one pass.
  [[nodiscard]] double at(std::uint32_t pass, std::uint32_t use) const;
  // Uniform in (0, 1); at() is its normal quantile.
  [[nodiscard]] double uniform(std::uint32_t pass, std::uint32_t use) const;

 private:
  std::uint64_t key_;
};

}  // namespace surety
