// The header of a .npy file: a Python dictionary with exactly three keys.
//
// Format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace surety::data {

enum class NpyType : std::uint8_t { kU1, kF4, kF8, kI4, kI8 };

struct NpyHeader {
  NpyType type = NpyType::kU1;
  std::vector<std::uint64_t> shape;  // There is at least one size; the product fits into 63 bits.
};

[[nodiscard]] constexpr std::size_t bytes_of(NpyType type) {
  switch (type) {
    case NpyType::kU1:
      return 1;
    case NpyType::kF4:
    case NpyType::kI4:
      return 4;
    case NpyType::kF8:
    case NpyType::kI8:
      return 8;
  }
  return 0;
}

// Parses "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }", with keys in any order,
// each once, padded with spaces and a line end. InvalidInput, with what was found at which place,
// for anything else: other types, big-endian values, Fortran order, records, scalars.
[[nodiscard]] Result<NpyHeader> parse_npy_header(std::string_view text);

}  // namespace surety::data
