#include "learn/linear/glm_labels.h"

#include <algorithm>
#include <cmath>

namespace surety::learn {

Result<void> check_labels(Loss loss, const data::Samples& samples, std::uint64_t first) {
  const auto known = [loss](float label) -> bool {
    if (loss == Loss::kSquared) return std::isfinite(label);
    return (label == 1) | (label == -1) | (label == 0);
  };
  bool all = true;  // The loop has no branch, because nearly all chunks are valid.
  for (const float label : samples.label) all &= known(label);
  if (all) return {};
  const auto bad = std::find_if_not(samples.label.begin(), samples.label.end(), known);
  return fail(ErrorCode::kInvalidInput, "sample {}: label {}, expected {}",
              first + static_cast<std::uint64_t>(bad - samples.label.begin()), *bad,
              loss == Loss::kSquared ? "a finite number" : "-1 and +1, or 0 and 1");
}

}  // namespace surety::learn
