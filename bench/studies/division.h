// Which of the four quarters of the validation images decide, and which certify.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/studies/recording.h"

namespace surety::bench {

// Quarter i decides where bit i is set, and certifies otherwise.
struct Division {
  std::uint32_t deciding = 0b0011;
  friend bool operator==(const Division&, const Division&) = default;
};

// The six with two quarters on either side.
[[nodiscard]] const std::vector<Division>& halvings();

// Of a run that really trains from this seed: one of the six, by the seed, as each job divides its
// samples by its own.
[[nodiscard]] Division halving_of_seed(std::uint32_t seed);

// Losses with five digits.
// REQUIRES: quarters on either side.
[[nodiscard]] Point divide(const Measured& measured, Division division);

}  // namespace surety::bench
