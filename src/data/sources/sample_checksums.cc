#include "data/sources/sample_checksums.h"

#include <array>
#include <cstddef>

#include "base/checksum.h"

namespace surety::data {
namespace {

// The checksum of `count` values from `first` on. REQUIRES: there are so many values.
template <typename Values>
std::uint64_t checksum_in(const Values& values, std::size_t first, std::size_t count) {
  return checksum_of(std::span(values).subspan(first, count));
}

std::uint64_t checksum_of_sample(const Samples& block, const Schema& schema, std::size_t sample) {
  const std::size_t features = schema.features;
  std::array<std::uint64_t, 3> parts{checksum_in(block.label, sample, 1), 0, 0};
  if (schema.layout == Layout::kDenseU8) {
    parts[1] = checksum_in(block.u8, sample * features, features);
  } else if (schema.layout == Layout::kDenseF32) {
    parts[1] = checksum_in(block.f32, sample * features, features);
  } else {
    const std::uint64_t first = block.row_begin[sample];
    const std::uint64_t count = block.row_begin[sample + 1] - first;
    parts[1] = checksum_in(block.f32, first, count);
    parts[2] = checksum_in(block.index, first, count);
  }
  return checksum_of(std::span<const std::uint64_t>(parts));
}

}  // namespace

void append_checksums(const Samples& block, const Schema& schema,
                      std::vector<std::uint32_t>& checksums) {
  for (std::size_t sample = 0; sample < block.size(); ++sample) {
    checksums.push_back(static_cast<std::uint32_t>(checksum_of_sample(block, schema, sample)));
  }
}

std::uint64_t chunk_checksum(std::span<const std::uint32_t> checksums) {
  return checksum_of(checksums);
}

std::uint64_t chunk_checksum(const Samples& samples, const Schema& schema) {
  std::vector<std::uint32_t> checksums;
  checksums.reserve(samples.size());
  append_checksums(samples, schema, checksums);
  return chunk_checksum(checksums);
}

}  // namespace surety::data
