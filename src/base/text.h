// Makes text from other sources fit for a line of a log, a terminal, a journal or JSON.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace surety {

// Limits in bytes for the message of an error (Error::message) that comes from another process, or
// for a text from outside that such a message quotes, and for the name of a host.
inline constexpr std::size_t kMessageBytesMax = 4096;
inline constexpr std::size_t kHostBytesMax = 255;

// The text with at most `bytes_max` bytes, and with '?' for control characters, bytes that
// are not UTF-8, and characters that change the direction of text. A longer text is cut between two
// characters and ends in "...". REQUIRES: bytes_max >= 3. O(bytes_max).
[[nodiscard]] std::string plain_text(std::string_view text, std::size_t bytes_max);

// The text as an error message quotes a value or a name that somebody wrote: plain_text() with at
// most kExcerptBytesMax bytes. Enough to recognise the value, however long it is.
inline constexpr std::size_t kExcerptBytesMax = 100;
[[nodiscard]] std::string excerpt(std::string_view text);

// The text with '?' for everything that a terminal would not show as text, but with its line
// breaks.
[[nodiscard]] std::string plain_lines(std::string_view text);

// The index of the first byte that is not UTF-8, if there is one. Journals and JSON can hold only
// UTF-8. O(bytes).
[[nodiscard]] std::optional<std::size_t> first_byte_not_utf8(std::string_view text);

}  // namespace surety
