// Divides the parts of the validation images into those that decide and those that certify.
#pragma once

#include <cstdint>

#include "base/random.h"
#include "bench/studies/recording.h"

namespace surety::bench {

// Part i decides if bit i is set, and certifies otherwise.
struct Division {
  std::uint32_t deciding = 0x00ff;
  friend bool operator==(const Division&, const Division&) = default;
};

// Draws one of the 12,870 divisions with half of the parts on either side, all equally likely.
[[nodiscard]] Division draw_halving(Random& random);

// The division of a run that really trains from this seed. The seed determines it, as each job
// divides its samples by its own seed.
[[nodiscard]] Division halving_of_seed(std::uint32_t seed);

// Losses with five digits.
// REQUIRES: at least one part on either side.
[[nodiscard]] Point divide(const Measured& measured, Division division);

}  // namespace surety::bench
