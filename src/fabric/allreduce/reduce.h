// The summing kernel: all arithmetic that the fabric does on values.
//
// These are plain loops in element order that a compiler can vectorise. They do not reassociate, so
// the result is the same to the bit at any vector width.
#pragma once

#include <span>

namespace surety::fabric {

// Returns whether no value is NaN or infinite. O(n), one pass without branches.
[[nodiscard]] bool all_finite(std::span<const float> values);

// dst[i] += weight * src[i]. REQUIRES: equal sizes, no overlap.
void add_scaled(std::span<float> dst, std::span<const float> src, float weight);

}  // namespace surety::fabric
