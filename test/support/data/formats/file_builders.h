// Correct data files in memory, which tests and benchmarks read or damage.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "base/random.h"

namespace surety::data {

[[nodiscard]] inline std::string random_bytes(std::size_t count, std::uint64_t limit,
                                              std::uint64_t seed) {
  Random random(seed);
  std::string bytes(count, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random.below(limit));
  return bytes;
}

// An IDX file of unsigned bytes. The sizes need not fit the values.
[[nodiscard]] inline std::string idx_file(std::initializer_list<std::uint32_t> sizes,
                                          std::string_view values) {
  std::string file{0, 0, 8, static_cast<char>(sizes.size())};
  for (const std::uint32_t size : sizes) {
    for (int shift = 24; shift >= 0; shift -= 8) file += static_cast<char>(size >> shift);
  }
  return file.append(values);
}

[[nodiscard]] inline std::string cifar10_file(std::size_t records, std::uint64_t seed) {
  std::string file = random_bytes(records * 3073, 256, seed);
  for (std::size_t i = 0; i < records; ++i) file[i * 3073] = static_cast<char>((i * 7) % 10);
  return file;
}

// A .npy file with this text as header, padded as numpy does it.
[[nodiscard]] inline std::string npy_file(std::string header, std::string_view values,
                                          char version = 1) {
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  while ((8 + length_bytes + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string file{'\x93', 'N', 'U', 'M', 'P', 'Y', version, 0};
  for (std::size_t i = 0; i < length_bytes; ++i) {
    file += static_cast<char>(header.size() >> (8 * i));
  }
  return file.append(header).append(values);
}

// Returns, for example, "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }".
[[nodiscard]] inline std::string npy_header_text(std::string_view type, std::string_view shape) {
  return std::string("{'descr': '").append(type).append("', 'fortran_order': False, 'shape': (") +
         std::string(shape).append("), }");
}

// The bytes of these values, in memory order.
template <typename T>
[[nodiscard]] std::string bytes_of_values(std::initializer_list<T> values) {
  return std::string(reinterpret_cast<const char*>(std::data(values)), values.size() * sizeof(T));
}

}  // namespace surety::data
