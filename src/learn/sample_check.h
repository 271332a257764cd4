// Whether samples are what their schema says: the arrays of its layout, as long as they must be.
#pragma once

#include "base/result.h"
#include "data/sample.h"

namespace surety::learn {

// InvalidInput, with found and expected sizes, where they are not. O(1): values are not looked at.
[[nodiscard]] Result<void> check_samples(const data::Samples& samples, const data::Schema& schema);

}  // namespace surety::learn
