#include "base/text.h"

#include <algorithm>
#include <cstdint>

#include "base/check.h"

namespace surety {
namespace {

constexpr std::string_view kCut = "...";

// Number of bytes of the first character of `text` if it is UTF-8, otherwise 0. Overlong forms and
// surrogates are not allowed (Unicode 15, table 3-7). REQUIRES: text is not empty.
std::size_t character_at(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < size) return 0;
  std::uint8_t low = 0x80;
  std::uint8_t high = 0xbf;
  if (first == 0xe0) low = 0xa0;
  if (first == 0xed) high = 0x9f;
  if (first == 0xf0) low = 0x90;
  if (first == 0xf4) high = 0x8f;
  if (byte(1) < low || byte(1) > high) return 0;
  for (std::size_t i = 2; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  return size;
}

// U+200E, U+200F, U+202A to U+202E and U+2066 to U+2069 change the direction of text, so that it is
// shown in another order than it is read. REQUIRES: a whole character of three bytes.
bool turns_text(std::string_view character) {
  const std::string_view three = character.substr(0, 3);
  if (three == "\u200e" || three == "\u200f") return true;
  return (three >= "\u202a" && three <= "\u202e") || (three >= "\u2066" && three <= "\u2069");
}

// The same as character_at(), except that it returns 0 for control characters.
std::size_t printable_at(std::string_view text) {
  const auto first = static_cast<std::uint8_t>(text[0]);
  if (first < 0x20 || first == 0x7f) return 0;
  const std::size_t size = character_at(text);
  if (size == 2 && first == 0xc2 && static_cast<std::uint8_t>(text[1]) < 0xa0) return 0;
  return size == 3 && turns_text(text) ? 0 : size;
}

}  // namespace

std::string plain_text(std::string_view text, std::size_t bytes_max) {
  SURETY_CHECK(bytes_max >= kCut.size());
  std::string out;
  std::size_t fits = 0;  // Length of the part of `out` that leaves room for kCut.
  while (!text.empty()) {
    const std::size_t size = printable_at(text);
    const std::string_view next = size > 0 ? text.substr(0, size) : "?";
    if (out.size() + next.size() > bytes_max) return out.substr(0, fits).append(kCut);
    out += next;
    if (out.size() + kCut.size() <= bytes_max) fits = out.size();
    text.remove_prefix(size > 0 ? size : 1);
  }
  return out;
}

std::string excerpt(std::string_view text) { return plain_text(text, kExcerptBytesMax); }

std::string plain_lines(std::string_view text) {
  std::string out;
  while (true) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out += plain_text(text.substr(0, end), std::max<std::size_t>(end, kCut.size()));
    if (end == text.size()) return out;
    out += '\n';
    text.remove_prefix(end + 1);
  }
}

std::optional<std::size_t> first_byte_not_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = character_at(text.substr(at));
    if (size == 0) return at;
    at += size;
  }
  return std::nullopt;
}

}  // namespace surety
