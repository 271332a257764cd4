// 64-bit checksums of bytes (XXH3). They find accidental damage, and do not protect from attackers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace surety {

[[nodiscard]] std::uint64_t checksum(std::span<const std::byte> bytes);

template <typename T>
[[nodiscard]] std::uint64_t checksum_of(std::span<const T> values) {
  return checksum(std::as_bytes(values));
}

}  // namespace surety
