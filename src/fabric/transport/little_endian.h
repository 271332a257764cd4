// Unsigned integers as bytes on the wire, lowest byte first on every machine.
#pragma once

#include <concepts>
#include <cstddef>
#include <span>

#include "base/check.h"

namespace surety::fabric {

// REQUIRES: `to` has room for sizeof(T) bytes.
template <std::unsigned_integral T>
void store_little_endian(T value, std::span<std::byte> to) {
  SURETY_CHECK(to.size() >= sizeof(T));
  for (std::size_t i = 0; i < sizeof(T); ++i) to[i] = static_cast<std::byte>(value >> (8 * i));
}

// REQUIRES: `from` has at least sizeof(T) bytes.
template <std::unsigned_integral T>
[[nodiscard]] T load_little_endian(std::span<const std::byte> from) {
  SURETY_CHECK(from.size() >= sizeof(T));
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    value = static_cast<T>(value | static_cast<T>(from[i]) << (8 * i));
  }
  return value;
}

}  // namespace surety::fabric
