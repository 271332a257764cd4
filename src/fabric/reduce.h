// The summing kernel: what the fabric does to the numbers that pass through it.
//
// Plain loops in element order that a compiler turns into vector code; no reassociation, so that
// the result is the same to the bit with any vector width.
#pragma once

#include <span>

namespace surety::fabric {

// Whether no value is NaN or infinite. O(n), one pass without branches.
[[nodiscard]] bool all_finite(std::span<const float> values);

// dst[i] += weight * src[i]. REQUIRES: equal sizes, no overlap.
void add_scaled(std::span<float> dst, std::span<const float> src, float weight);

}  // namespace surety::fabric
