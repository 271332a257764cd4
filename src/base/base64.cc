#include "base/base64.h"

#include <cstdint>

namespace surety {
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr char kPadding = '=';
constexpr std::size_t kGroupBytes = 3;
constexpr std::size_t kGroupDigits = 4;

}  // namespace

std::string base64_encode(std::span<const std::byte> bytes) {
  std::string text;
  text.reserve((bytes.size() + kGroupBytes - 1) / kGroupBytes * kGroupDigits);
  for (std::size_t at = 0; at < bytes.size(); at += kGroupBytes) {
    const std::size_t count = std::min(kGroupBytes, bytes.size() - at);
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < kGroupBytes; ++i) {
      group = group << 8 | (i < count ? static_cast<std::uint32_t>(bytes[at + i]) : 0u);
    }
    for (std::size_t i = 0; i < kGroupDigits; ++i) {
      text += i <= count ? kDigits[group >> (18 - 6 * i) & 63] : kPadding;
    }
  }
  return text;
}

std::optional<std::vector<std::byte>> base64_decode(std::string_view text) {
  if (text.size() % kGroupDigits != 0) return std::nullopt;
  std::vector<std::byte> bytes;
  for (std::size_t at = 0; at < text.size(); at += kGroupDigits) {
    std::uint32_t group = 0;
    for (const char digit : text.substr(at, kGroupDigits)) {
      const std::size_t value = kDigits.find(digit);
      group =
          group << 6 | (value == std::string_view::npos ? 0u : static_cast<std::uint32_t>(value));
    }
    const std::size_t padding = text.substr(at, kGroupDigits).ends_with("==")  ? 2
                                : text.substr(at, kGroupDigits).ends_with('=') ? 1
                                                                               : 0;
    for (std::size_t i = 0; i < kGroupBytes - padding; ++i) {
      bytes.push_back(static_cast<std::byte>(group >> (16 - 8 * i) & 255));
    }
  }
  // Each value has exactly one text: other characters, padding inside the text, and unused bits
  // that are not 0 are refused.
  if (base64_encode(bytes) != text) return std::nullopt;
  return bytes;
}

}  // namespace surety
