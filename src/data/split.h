// Which validation samples decide when to stop, and which certify the result: two disjoint halves,
// so that the certificate is computed on data that took no decision.
#pragma once

#include <cstdint>

#include "base/random.h"

namespace surety::data {

enum class Split : std::uint8_t {
  kDecide,   // Looked at after every pass: stopping, switching, profiling.
  kCertify,  // Looked at once, at the very end.
};

// By sample index and seed, half and half, the same in every process.
[[nodiscard]] constexpr Split split_of(std::uint64_t sample, std::uint64_t seed) {
  return mix64(mix64(seed ^ 0x53706c6974ull) ^ sample) & 1 ? Split::kCertify : Split::kDecide;
}

}  // namespace surety::data
