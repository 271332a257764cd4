// Code that the fuzz targets of all readers share.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "base/check.h"
#include "data/formats/open_reader.h"
#include "data/reader.h"
#include "data/url.h"
#include "test/support/data/formats/memory_files.h"

namespace surety::data {

// Checks what readers guarantee for samples, for any contents of a file.
inline void check_samples(const Schema& schema, const Samples& samples, bool has_labels) {
  const std::uint64_t values = std::uint64_t{schema.features} * samples.size();
  SURETY_CHECK(samples.u8.size() == (schema.layout == Layout::kDenseU8 ? values : 0));
  if (schema.layout == Layout::kDenseF32) SURETY_CHECK(samples.f32.size() == values);
  if (schema.layout == Layout::kSparse && samples.size() > 0) {
    SURETY_CHECK(samples.row_begin.size() == samples.size() + 1);
    SURETY_CHECK(samples.row_begin.back() == samples.index.size());
    SURETY_CHECK(samples.f32.size() == samples.index.size());
    for (const std::uint32_t index : samples.index) SURETY_CHECK(index < schema.features);
  }
  for (const float value : samples.f32) SURETY_CHECK(std::isfinite(value));
  for (const float label : samples.label) {
    SURETY_CHECK(std::isfinite(label));
    if (!has_labels) SURETY_CHECK(label == 0);
    if (schema.classes > 0) SURETY_CHECK(label >= 0 && label < static_cast<float>(schema.classes));
  }
}

// Reads in blocks of 3 until the end or an error. An error of read() must be InvalidInput.
inline void fuzz_reader(const std::string& text, std::map<std::string, std::string> files,
                        const ReadOptions& options = {}) {
  constexpr std::size_t kSamplesMax = 3000;  // Enough for the files that fuzzers generate.
  const SourceUrl url = parse_url(text).value();
  const auto reader = open_reader(url, memory_files(std::move(files)), options);
  if (!reader) {
    SURETY_CHECK(!reader.error().message.empty());
    return;
  }
  Samples samples;
  while (samples.size() < kSamplesMax) {
    const auto count = (*reader)->read(3, samples);
    if (!count) {
      SURETY_CHECK(count.error().code == ErrorCode::kInvalidInput);
      return;
    }
    if (*count == 0) break;
  }
  check_samples((*reader)->schema(), samples, (*reader)->has_labels());
}

// The input as one file. fuzz_two_texts() makes two files; the first byte is the length of the
// first file.
inline std::string fuzz_text(const std::uint8_t* data, std::size_t size) {
  return std::string(reinterpret_cast<const char*>(data), size);
}
inline std::pair<std::string, std::string> fuzz_two_texts(const std::uint8_t* data,
                                                          std::size_t size) {
  const std::string text = fuzz_text(data, size);
  if (text.empty()) return {};
  const std::size_t first = std::min<std::size_t>(data[0], size - 1);
  return {text.substr(1, first), text.substr(1 + first)};
}

}  // namespace surety::data
