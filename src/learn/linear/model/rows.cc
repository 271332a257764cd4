#include "learn/linear/model/rows.h"

#include "base/check.h"
#include "learn/sample_check.h"

namespace surety::learn {

Result<Rows> Rows::of(const data::Samples& samples, const data::Schema& schema) {
  SURETY_TRY(check_samples(samples, schema));
  return Rows(samples, schema);
}

RowView Rows::view_of_bytes(std::size_t row, std::span<float> scratch) const {
  SURETY_CHECK(scratch.size() >= features_);
  const std::uint8_t* bytes = samples_->u8.data() + row * features_;
  for (std::size_t f = 0; f < features_; ++f) scratch[f] = bytes[f] * (1.0f / 255);
  return {
      .feature = nullptr, .value = scratch.data(), .count = static_cast<std::uint32_t>(features_)};
}

}  // namespace surety::learn
