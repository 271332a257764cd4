// What is believed of how long passes take, for each variant (a version on some nodes).
//
// What a machine does beside the job changes by the minute, not by the pass: passes of one run are
// not independent. So the spread that was seen is believed to last as long as the run, and does not
// average out over its passes.
//
// A guess of how much longer a pass takes with one variant than with another is off by a power that
// all variants share: where half of the channels save nothing, so do three quarters. So each
// variant's passes speak of all others.
#pragma once

#include <cstdint>
#include <vector>

namespace surety::plan {

// Before anything was measured, relative to the first variant.
struct TimeGuess {
  double relative = 1;
  std::uint32_t version = 0, nodes = 0;  // Variants that share one of them have closer times.
};

// Of the logarithm of a pass's duration, with its evaluation.
struct VariantTime {
  double log_s = 0;
  double own_sd = 0;  // Of what is not known of this variant alone.
};

class PassTimes {
 public:
  explicit PassTimes(std::vector<TimeGuess> guesses);
  // REQUIRES: seconds > 0.
  void saw(std::uint32_t variant, double seconds);

  [[nodiscard]] bool knows_any() const { return passes_ > 0; }
  // Relative to the first variant's until any was seen.
  [[nodiscard]] VariantTime of(std::uint32_t variant) const;
  // Standard deviation of what all variants share: the minute, the machine.
  [[nodiscard]] double common_sd() const;

 private:
  struct Seen {
    double sum = 0, squares = 0;  // Of logarithms.
    std::uint32_t passes = 0;
  };
  std::vector<TimeGuess> guesses_;
  struct Believed {
    double log_s = 0, variance = 0;
  };
  void believe();

  std::vector<Seen> seen_;
  std::vector<Believed> believed_;  // By variant, from those that were seen.
  std::uint32_t passes_ = 0;
};

}  // namespace surety::plan
