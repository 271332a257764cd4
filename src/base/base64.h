// Base64 (RFC 4648, section 4), with padding.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace surety {

[[nodiscard]] std::string base64_encode(std::span<const std::byte> bytes);
// Absent if the text is not exactly what base64_encode() writes for some bytes.
[[nodiscard]] std::optional<std::vector<std::byte>> base64_decode(std::string_view text);

}  // namespace surety
