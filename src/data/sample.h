// Samples in memory: readers produce them, chunks hold them, and tasks compute on them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <string>
#include <vector>

namespace surety::data {

enum class Layout {
  kDenseU8,   // Images: `features` bytes for each sample, planar (channel, row, column), 0..255.
  kDenseF32,  // Tables: `features` floats for each sample.
  kSparse,    // (index, value) pairs; indices count from 0 and ascend within a sample.
};

// The form of every sample of a source.
struct Schema {
  Layout layout = Layout::kDenseU8;
  // Shape of images; 1 x 1 x features for tables.
  std::uint32_t channels = 1;
  std::uint32_t height = 1;
  std::uint32_t width = 1;
  std::uint32_t features = 0;  // channels * height * width, or the largest sparse index + 1.
  std::uint32_t classes = 0;   // Labels are 0..classes-1; 0 if labels are real numbers or ±1.

  friend bool operator==(const Schema&, const Schema&) = default;
};

// Consecutive samples. Only the arrays of the schema's layout are filled.
struct Samples {
  std::pmr::vector<std::uint8_t> u8;      // kDenseU8: size() * features
  std::pmr::vector<float> f32;            // kDenseF32: size() * features; kSparse: the values
  std::pmr::vector<std::uint32_t> index;  // kSparse: one index for each value
  // kSparse: size() + 1 offsets into index; empty when size() == 0
  std::pmr::vector<std::uint64_t> row_begin;
  // One label for each sample. It is 0 if the source has no labels (Reader::has_labels()).
  std::pmr::vector<float> label;

  [[nodiscard]] std::size_t size() const { return label.size(); }
  [[nodiscard]] std::uint64_t bytes() const {
    return u8.size() + 4 * (f32.size() + index.size() + label.size()) + 8 * row_begin.size();
  }
};

}  // namespace surety::data
