#include "fabric/allreduce/reduce.h"

#include <bit>
#include <cstdint>

#include "base/check.h"

namespace surety::fabric {

bool all_finite(std::span<const float> values) {
  // Only NaN and the infinities have every bit of the exponent set. Comparing bits instead of
  // calling isfinite() keeps the loop free of branches, and -ffast-math cannot break it.
  constexpr std::uint32_t kExponent = 0x7f800000u;
  std::uint32_t found = 0;
  for (const float value : values) {
    found |= (std::bit_cast<std::uint32_t>(value) & kExponent) == kExponent ? 1u : 0u;
  }
  return found == 0;
}

void add_scaled(std::span<float> dst, std::span<const float> src, float weight) {
  SURETY_CHECK(dst.size() == src.size());
  float* const __restrict to = dst.data();
  const float* const __restrict from = src.data();
  for (std::size_t i = 0; i < dst.size(); ++i) to[i] += weight * from[i];
}

}  // namespace surety::fabric
