// SHA-256 (FIPS 180-4).
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <span>

namespace surety::crypto {

using Digest = std::array<std::byte, 32>;

// The digest of these bytes, one after another.
[[nodiscard]] Digest sha256(std::initializer_list<std::span<const std::byte>> parts);
[[nodiscard]] inline Digest sha256(std::span<const std::byte> bytes) { return sha256({bytes}); }

}  // namespace surety::crypto
