// Which random numbers of a simulated run are used for what (CounterNormal).
#pragma once

#include <cstdint>

namespace surety::plan {

// Draws of one pass are told apart by their use; the run's own draws are those of pass 0.
enum Use : std::uint32_t {
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
