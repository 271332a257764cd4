// Random numbers that nobody can predict: for tokens, serial numbers and names that others must not
// guess. base/random.h has those that follow from a seed.
#pragma once

#include <cstddef>
#include <span>

#include "base/result.h"

namespace surety::crypto {

// Fills `out`. Unavailable if the operating system provides no random numbers. REQUIRES: less than
// 2 GiB.
[[nodiscard]] Result<void> random_bytes(std::span<std::byte> out);

}  // namespace surety::crypto
