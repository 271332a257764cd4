#include "learn/rows.h"

#include "base/check.h"
#include "learn/sample_check.h"

namespace surety::learn {

Result<Rows> Rows::of(const data::Samples& samples, const data::Schema& schema) {
  SURETY_TRY(check_samples(samples, schema));
  return Rows(samples, schema);
}

RowView Rows::view(std::size_t row, std::span<float> scratch) const {
  if (layout_ == data::Layout::kSparse) {
    const std::uint64_t begin = samples_->row_begin[row];
    std::uint64_t end = samples_->row_begin[row + 1];
    while (end > begin && samples_->index[end - 1] >= features_) --end;  // Indices rise.
    return {.feature = samples_->index.data() + begin,
            .value = samples_->f32.data() + begin,
            .count = static_cast<std::uint32_t>(end - begin)};
  }
  const auto count = static_cast<std::uint32_t>(features_);
  if (layout_ == data::Layout::kDenseF32) {
    return {.value = samples_->f32.data() + row * features_, .count = count};
  }
  SURETY_CHECK(scratch.size() >= features_);
  const std::uint8_t* bytes = samples_->u8.data() + row * features_;
  for (std::size_t f = 0; f < features_; ++f) scratch[f] = bytes[f] * (1.0f / 255);
  return {.value = scratch.data(), .count = count};
}

bool Rows::fits(std::size_t row) const {
  if (layout_ != data::Layout::kSparse) return true;
  const std::uint64_t end = samples_->row_begin[row + 1];
  return end == samples_->row_begin[row] || samples_->index[end - 1] < features_;
}

}  // namespace surety::learn
