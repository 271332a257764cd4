#include "plan/pool/pass_times.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace surety::plan {
namespace {

// Standard deviations of the logarithm of a pass's time: what is believed of a machine before it
// was watched (as much as four passes say), and of how far a guess is off for another version and
// for other nodes.
constexpr double kSpread = 0.12;
constexpr double kSpreadPasses = 4;
constexpr double kVersionSd = 0.4, kNodesSd = 0.4;

}  // namespace

PassTimes::PassTimes(std::vector<TimeGuess> guesses)
    : guesses_(std::move(guesses)), seen_(guesses_.size()) {
  SURETY_CHECK(!guesses_.empty());
}

void PassTimes::saw(std::uint32_t variant, double seconds) {
  SURETY_CHECK(variant < seen_.size() && seconds > 0);
  const double log_s = std::log(seconds);
  seen_[variant].sum += log_s;
  seen_[variant].squares += log_s * log_s;
  ++seen_[variant].passes;
  ++passes_;
}

double PassTimes::common_sd() const {
  double squares = kSpreadPasses * kSpread * kSpread, passes = kSpreadPasses;
  for (const Seen& seen : seen_) {
    if (seen.passes < 2) continue;
    squares += std::max(0.0, seen.squares - seen.sum * seen.sum / seen.passes);
    passes += seen.passes - 1;
  }
  return std::sqrt(squares / passes);
}

VariantTime PassTimes::of(std::uint32_t variant) const {
  SURETY_CHECK(variant < seen_.size());
  const double sd = common_sd();
  if (const Seen& seen = seen_[variant]; seen.passes > 0) {
    return {seen.sum / seen.passes, sd / std::sqrt(seen.passes)};
  }
  VariantTime best{std::log(guesses_[variant].relative), kVersionSd};
  if (passes_ == 0) return best;
  double least = 1e9;
  for (std::uint32_t other = 0; other < seen_.size(); ++other) {
    if (seen_[other].passes == 0) continue;
    const double mean_of = seen_[other].sum / seen_[other].passes;
    const double off =
        std::hypot(guesses_[other].version == guesses_[variant].version ? 0 : kVersionSd,
                   guesses_[other].nodes == guesses_[variant].nodes ? 0 : kNodesSd);
    if (off >= least) continue;
    least = off;
    best = {mean_of + std::log(guesses_[variant].relative / guesses_[other].relative),
            std::hypot(off, sd)};
  }
  return best;
}

}  // namespace surety::plan
