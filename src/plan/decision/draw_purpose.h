// The purpose of each random number of a simulated run (CounterNormal).
#pragma once

#include <cstdint>

namespace surety::plan {

// Values of `use` for the draws of one pass. The draws of the run itself have pass 0.
enum DrawPurpose : std::uint32_t {
  kProgress = 0,
  kTime = 1,
  kJump = 2,
  kRunEffect = 3,
  kCertify = 4,
  kStuck = 5,
  kSlowest = 6,
  kPreemptions = 7,
  kJitter = 8,
};

}  // namespace surety::plan
