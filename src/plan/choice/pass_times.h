// The belief about the duration of passes, for each variant (a version on some nodes).
//
// Other load on a machine lasts for minutes, so the passes of one run are not independent. The
// observed spread is therefore assumed to last for the whole run; it does not average out over
// passes.
//
// The guessed ratio of the durations of two variants is wrong by a power that all variants share:
// if half of the channels save no time, three quarters do not either. So the passes of one variant
// inform the belief about all others.
#pragma once

#include <cstdint>
#include <vector>

namespace surety::plan {

// The guess before any measurement, relative to the first variant.
struct TimeGuess {
  double relative = 1;
  // Variants with the same version or the same nodes have similar times.
  std::uint32_t version = 0;
  std::uint32_t nodes = 0;
};

// The logarithm of a pass's duration, the evaluation included.
struct VariantTime {
  double log_s = 0;
  double own_sd = 0;  // Standard deviation of the part that only this variant has.
};

class PassTimes {
 public:
  explicit PassTimes(std::vector<TimeGuess> guesses);
  // REQUIRES: seconds > 0.
  void observe(std::uint32_t variant, double seconds);

  [[nodiscard]] bool knows_any() const { return passes_ > 0; }
  // Relative to the first variant until a pass was observed.
  [[nodiscard]] VariantTime of(std::uint32_t variant) const;
  // Standard deviation of the part that all variants share, such as the load of the machine.
  [[nodiscard]] double common_sd() const;

 private:
  struct DurationSums {
    double sum = 0;      // Sum of the logarithms of durations.
    double squares = 0;  // Sum of their squares.
    std::uint32_t passes = 0;
  };
  std::vector<TimeGuess> guesses_;
  struct Believed {
    double log_s = 0;
    double variance = 0;
  };
  void believe();

  std::vector<DurationSums> sums_;
  std::vector<Believed> believed_;  // One entry for each variant, computed from sums_.
  std::uint32_t passes_ = 0;
};

}  // namespace surety::plan
