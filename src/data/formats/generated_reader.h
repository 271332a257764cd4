// A reader of samples that are generated one by one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "data/reader.h"

namespace surety::data {

class GeneratedReader : public Reader {
 public:
  GeneratedReader(const Schema& schema, std::uint64_t samples)
      : schema_(schema), samples_(samples) {}

  [[nodiscard]] const Schema& schema() const override { return schema_; }

  [[nodiscard]] Result<std::size_t> read(std::size_t samples_max, Samples& out) override {
    const std::uint64_t count = next(samples_max);
    for (std::uint64_t i = 0; i < count; ++i) append(done_++, out);
    return count;
  }

  [[nodiscard]] Result<std::size_t> skip(std::size_t samples) override {
    const std::uint64_t count = next(samples);
    done_ += count;
    return count;
  }

 protected:
  // Appends the sample with this number, counted from 0.
  virtual void append(std::uint64_t number, Samples& out) const = 0;

 private:
  [[nodiscard]] std::uint64_t next(std::uint64_t samples) const {
    return std::min(samples, samples_ - done_);
  }

  Schema schema_;
  std::uint64_t samples_ = 0;
  std::uint64_t done_ = 0;
};

}  // namespace surety::data
