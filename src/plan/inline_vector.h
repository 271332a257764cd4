// A vector of a few elements without allocation. Unused elements are not initialised, because
// options are compared millions of times.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>

#include "base/check.h"

namespace surety::plan {

template <typename T, std::size_t kMax>
class InlineVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  InlineVector() {}  // NOLINT: values_ is left uninitialised.
  void push_back(const T& value) {
    SURETY_CHECK(size_ < kMax);
    values_[size_++] = value;
  }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const T* begin() const { return values_.data(); }
  [[nodiscard]] const T* end() const { return values_.data() + size_; }
  [[nodiscard]] T* begin() { return values_.data(); }
  [[nodiscard]] T* end() { return values_.data() + size_; }
  [[nodiscard]] const T& operator[](std::size_t i) const { return values_[i]; }

 private:
  union {
    std::array<T, kMax> values_;
  };
  std::size_t size_ = 0;
};

}  // namespace surety::plan
