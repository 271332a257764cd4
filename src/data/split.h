// Splits the validation samples into two disjoint halves: one decides when to stop, the other
// certifies the result. So the certificate is computed on data that has influenced no decision.
#pragma once

#include <cstdint>
#include <vector>

#include "base/random.h"

namespace surety::data {

enum class Split : std::uint8_t {
  kDecide,   // Evaluated after every pass: for stopping, switching and profiling.
  kCertify,  // Evaluated once, at the very end.
};

// Each half has probability 1/2. The result depends only on sample index and seed, so it is the
// same in every process.
[[nodiscard]] constexpr Split split_of(std::uint64_t sample, std::uint64_t seed) {
  return mix64(mix64(seed ^ 0x53706c6974ull) ^ sample) & 1 ? Split::kCertify : Split::kDecide;
}

// The number of these samples that belong to the half. O(count).
[[nodiscard]] constexpr std::uint64_t samples_of(Split half, std::uint64_t first,
                                                 std::uint64_t count, std::uint64_t seed) {
  std::uint64_t samples = 0;
  for (std::uint64_t i = 0; i < count; ++i) samples += split_of(first + i, seed) == half;
  return samples;
}

// The indices, counted from `first`, of the samples that belong to the half. O(count).
[[nodiscard]] inline std::vector<std::uint32_t> indices_of(Split half, std::uint64_t first,
                                                           std::uint32_t count,
                                                           std::uint64_t seed) {
  std::vector<std::uint32_t> indices;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (split_of(first + i, seed) == half) indices.push_back(i);
  }
  return indices;
}

}  // namespace surety::data
