// Checks that samples fit their schema: the arrays of its layout exist and have the right lengths.
#pragma once

#include "base/result.h"
#include "data/sample.h"

namespace surety::learn {

// InvalidInput, with found and expected sizes, if they do not. O(1): values are not read.
[[nodiscard]] Result<void> check_samples(const data::Samples& samples, const data::Schema& schema);

}  // namespace surety::learn
