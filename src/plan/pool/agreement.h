// Counts consecutive decisions with the same result: that a promise can be made, or that it is
// hopeless. A single decision neither states nor refuses a promise, because a belief changes with
// every pass.
#pragma once

#include <cstdint>

namespace surety::plan {

class Agreement {
 public:
  // A decision was made. `hopeful`: it would state the promise. `hopeless`: it would refuse it.
  void count(bool hopeful, bool hopeless) {
    hopeful_ = hopeful ? hopeful_ + 1 : 0;
    hopeless_ = hopeless ? hopeless_ + 1 : 0;
  }
  [[nodiscard]] bool states() const { return hopeful_ >= kDecisions; }
  [[nodiscard]] bool refuses() const { return hopeless_ >= kDecisions; }

 private:
  static constexpr std::uint32_t kDecisions = 2;

  std::uint32_t hopeful_ = 0;
  std::uint32_t hopeless_ = 0;
};

}  // namespace surety::plan
