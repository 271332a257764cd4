// Counts consecutive decisions that have found the same. A single decision settles nothing, because
// a belief changes with every pass.
#pragma once

#include <cstdint>

namespace surety::plan {

class Streak {
 public:
  // A decision was made. `found`: whether it has found what is counted.
  void count(bool found) { length_ = found ? length_ + 1 : 0; }
  // Whether the last two decisions have found it.
  [[nodiscard]] bool is_long() const { return length_ >= kDecisions; }

 private:
  static constexpr std::uint32_t kDecisions = 2;

  std::uint32_t length_ = 0;
};

}  // namespace surety::plan
