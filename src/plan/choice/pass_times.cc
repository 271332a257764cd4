#include "plan/choice/pass_times.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace surety::plan {
namespace {

// Standard deviation of the logarithm of a pass's duration. It is the belief about a machine before
// any measurement, with the weight of four passes.
constexpr double kSpread = 0.12;
constexpr double kSpreadPasses = 4;
// The true ratio for a guess r is r^p, where p is 1 with this deviation. p is below 1 if much of
// the time is overhead.
constexpr double kPowerSd = 0.3;
// Remaining deviations: of a version and of nodes.
constexpr double kVersionSd = 0.2;
constexpr double kNodesSd = 0.3;
constexpr double kLevelSd = 10;  // The first variant's duration is practically unknown.

}  // namespace

PassTimes::PassTimes(std::vector<TimeGuess> guesses)
    : guesses_(std::move(guesses)), sums_(guesses_.size()), believed_(guesses_.size()) {
  SURETY_CHECK(!guesses_.empty());
  believe();
}

void PassTimes::observe(std::uint32_t variant, double seconds) {
  SURETY_CHECK(variant < sums_.size() && seconds > 0);
  const double log_s = std::log(seconds);
  sums_[variant].sum += log_s;
  sums_[variant].squares += log_s * log_s;
  ++sums_[variant].passes;
  ++passes_;
  believe();
}

double PassTimes::common_sd() const {
  double squares = kSpreadPasses * kSpread * kSpread;
  double passes = kSpreadPasses;
  for (const DurationSums& sums : sums_) {
    if (sums.passes < 2) continue;
    squares += std::max(0.0, sums.squares - sums.sum * sums.sum / sums.passes);
    passes += sums.passes - 1;
  }
  return std::sqrt(squares / passes);
}

// Prior and observations are normal, so the belief can be conditioned on one variant after the
// other.
void PassTimes::believe() {
  const std::size_t n = guesses_.size();
  const double noise = common_sd() * common_sd();
  std::vector<double> means(n);
  std::vector<std::vector<double>> covariance(n, std::vector<double>(n));
  for (std::size_t i = 0; i < n; ++i) {
    means[i] = std::log(guesses_[i].relative);
    for (std::size_t j = 0; j < n; ++j) {
      const double power =
          kPowerSd * kPowerSd * std::log(guesses_[i].relative) * std::log(guesses_[j].relative);
      const double version = guesses_[i].version == guesses_[j].version ? kVersionSd : 0;
      const double nodes = guesses_[i].nodes == guesses_[j].nodes ? kNodesSd : 0;
      const double level = knows_any() ? kLevelSd : 0;
      covariance[i][j] = power + version * version + nodes * nodes + level * level;
    }
  }
  for (std::size_t s = 0; s < n; ++s) {
    if (sums_[s].passes == 0) continue;
    const double off = sums_[s].sum / sums_[s].passes - means[s];
    const std::vector<double> row = covariance[s];
    const double whole = row[s] + noise / sums_[s].passes;
    for (std::size_t i = 0; i < n; ++i) {
      means[i] += row[i] / whole * off;
      for (std::size_t j = 0; j < n; ++j) covariance[i][j] -= row[i] * row[j] / whole;
    }
  }
  for (std::size_t i = 0; i < n; ++i) believed_[i] = {means[i], covariance[i][i]};
}

VariantTime PassTimes::of(std::uint32_t variant) const {
  SURETY_CHECK(variant < sums_.size());
  if (const DurationSums& sums = sums_[variant]; sums.passes > 0) {
    return {sums.sum / sums.passes, common_sd() / std::sqrt(sums.passes)};
  }
  return {believed_[variant].log_s, std::sqrt(std::max(0.0, believed_[variant].variance))};
}

}  // namespace surety::plan
