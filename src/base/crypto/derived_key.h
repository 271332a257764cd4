// Keys that follow from a secret, so that all processes with the secret have the same ones.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace surety::crypto {

using Key = std::array<std::byte, 32>;

// HKDF-SHA256 (RFC 5869). Each purpose has a key of its own: none of them reveals another one, or
// the secret. A key is as hard to guess as the secret, which may be empty.
[[nodiscard]] Key derive_key(std::string_view secret, std::string_view purpose);

}  // namespace surety::crypto
