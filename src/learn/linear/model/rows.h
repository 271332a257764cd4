// The samples of a chunk as rows of a matrix, in any layout; linear models compute with rows.
//
// Bytes count as x / 255. A sparse feature that the model does not know (index >= features) has
// weight zero, because a validation set may have features that the training set does not have.
// Values are float32; sums are computed in double, in the order of the features
// (learn/linear/kernels/glm_kernels.h has faster sums, on views of rows).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"
#include "data/sample.h"
#include "learn/linear/kernels/glm_kernels.h"

namespace surety::learn {

class Rows {
 public:
  // Keeps a reference: `samples` must outlive it. InvalidInput if the arrays do not fit the schema.
  [[nodiscard]] static Result<Rows> of(const data::Samples& samples, const data::Schema& schema);

  [[nodiscard]] std::size_t size() const { return samples_->size(); }

  struct Products {
    double dot = 0;     // w.x
    double square = 0;  // x.x
  };
  // REQUIRES: row < size(), weights.size() == features. O(non-zeros of the row).
  template <typename Weight>
  [[nodiscard]] Products products(std::size_t row, std::span<const Weight> weights) const {
    Products sums;
    for_each(row, [&](std::size_t feature, float value) {
      sums.dot += static_cast<double>(weights[feature]) * value;
      sums.square += double{value} * value;
    });
    return sums;
  }

  // target += scale * x.
  template <typename T>
  void add(std::size_t row, double scale, std::span<T> target) const {
    for_each(row, [&](std::size_t feature, float value) {
      target[feature] += static_cast<T>(scale * value);
    });
  }

  // A view of a row. It omits features of a sparse row that the model does not know. Bytes are
  // converted into `scratch`, and the view then refers to `scratch`. REQUIRES: row < size();
  // scratch.size() >= scratch_size(). O(features) for bytes, else O(1).
  [[nodiscard]] RowView view(std::size_t row, std::span<float> scratch) const {
    if (layout_ == data::Layout::kDenseU8) return view_of_bytes(row, scratch);
    const bool sparse = layout_ == data::Layout::kSparse;
    const std::uint64_t begin = sparse ? samples_->row_begin[row] : row * features_;
    std::uint64_t end = sparse ? samples_->row_begin[row + 1] : begin + features_;
    if (sparse) {
      // Indices are in ascending order.
      while (end > begin && samples_->index[end - 1] >= features_) --end;
    }
    return {.feature = sparse ? samples_->index.data() + begin : nullptr,
            .value = samples_->f32.data() + begin,
            .count = static_cast<std::uint32_t>(end - begin)};
  }
  [[nodiscard]] std::size_t scratch_size() const { return is_bytes() ? features_ : 0; }
  [[nodiscard]] bool is_bytes() const { return layout_ == data::Layout::kDenseU8; }

  // Whether the model knows all features of the row.
  [[nodiscard]] bool fits(std::size_t row) const {
    if (layout_ != data::Layout::kSparse) return true;
    const std::uint64_t end = samples_->row_begin[row + 1];
    return end == samples_->row_begin[row] || samples_->index[end - 1] < features_;
  }

 private:
  Rows(const data::Samples& samples, const data::Schema& schema)
      : samples_(&samples), layout_(schema.layout), features_(schema.features) {}

  [[nodiscard]] RowView view_of_bytes(std::size_t row, std::span<float> scratch) const;

  template <typename Visit>
  void for_each(std::size_t row, Visit visit) const {
    if (layout_ == data::Layout::kSparse) {
      const std::uint64_t begin = samples_->row_begin[row];
      std::uint64_t end = samples_->row_begin[row + 1];
      // Indices are in ascending order.
      while (end > begin && samples_->index[end - 1] >= features_) --end;
      for (std::uint64_t i = begin; i < end; ++i) visit(samples_->index[i], samples_->f32[i]);
    } else if (layout_ == data::Layout::kDenseF32) {
      const float* values = samples_->f32.data() + row * features_;
      for (std::size_t f = 0; f < features_; ++f) visit(f, values[f]);
    } else {
      const std::uint8_t* values = samples_->u8.data() + row * features_;
      for (std::size_t f = 0; f < features_; ++f) visit(f, values[f] * (1.0f / 255));
    }
  }

  const data::Samples* samples_;
  data::Layout layout_;
  std::size_t features_;
};

}  // namespace surety::learn
