// The labels of samples, in the form that the losses of linear models need.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "data/sample.h"
#include "learn/linear/kernels/glm_loss.h"

namespace surety::learn {

// InvalidInput, naming the first label that is not -1, 0 or 1, or with the squared loss the first
// that is not finite. `first` is the number of the first sample.
[[nodiscard]] Result<void> check_labels(Loss loss, const data::Samples& samples,
                                        std::uint64_t first = 0);

// Returns -1 or +1, or for the squared loss the label itself. REQUIRES: check_labels().
[[nodiscard]] inline float label_for(Loss loss, float label) {
  return loss == Loss::kSquared ? label : label > 0 ? 1.0f : -1.0f;
}

}  // namespace surety::learn
