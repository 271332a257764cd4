#include "data/sources/label_moments.h"

#include <cmath>

namespace surety::data {

// Welford's method: the mean is subtracted from each label before it is squared, so that labels far
// from 0 lose no digits.
void LabelMoments::observe(std::span<const float> labels) {
  for (const float label : labels) {
    ++count_;
    const double off = label - mean_;
    mean_ += off / static_cast<double>(count_);
    squares_ += off * (label - mean_);
  }
}

double LabelMoments::deviation() const {
  return count_ < 2 ? 0 : std::sqrt(squares_ / static_cast<double>(count_ - 1));
}

}  // namespace surety::data
