// Which of the parts of the validation images decide, and which certify.
#pragma once

#include <cstdint>

#include "base/random.h"
#include "bench/studies/recording.h"

namespace surety::bench {

// Part i decides where bit i is set, and certifies otherwise.
struct Division {
  std::uint32_t deciding = 0x00ff;
  friend bool operator==(const Division&, const Division&) = default;
};

// One of the 12,870 with half of the parts on either side, each as likely as any other.
[[nodiscard]] Division draw_halving(Random& random);

// Of a run that really trains from this seed: drawn by the seed, as each job divides its samples by
// its own.
[[nodiscard]] Division halving_of_seed(std::uint32_t seed);

// Losses with five digits.
// REQUIRES: parts on either side.
[[nodiscard]] Point divide(const Measured& measured, Division division);

}  // namespace surety::bench
