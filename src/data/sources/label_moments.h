// Mean and standard deviation of labels that are real numbers.
#pragma once

#include <cstdint>
#include <span>

namespace surety::data {

class LabelMoments {
 public:
  void observe(std::span<const float> labels);

  [[nodiscard]] double mean() const { return mean_; }  // 0 without labels.
  // 0 with fewer than two labels.
  [[nodiscard]] double deviation() const;

 private:
  std::uint64_t count_ = 0;
  double mean_ = 0;
  double squares_ = 0;  // Sum of the squared deviations from the mean.
};

}  // namespace surety::data
