// Text from elsewhere, made fit for a line of a log, a terminal, a journal or JSON.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace surety {

// Of an error that travels between processes, and of a host's name.
inline constexpr std::size_t kMessageBytesMax = 4096, kHostBytesMax = 255;

// Without control characters and bytes that are no UTF-8, which become '?', and of at most
// `bytes_max` bytes: a longer one is cut between two characters and ends in "...".
// REQUIRES: bytes_max >= 3. O(bytes_max).
[[nodiscard]] std::string plain_text(std::string_view text, std::size_t bytes_max);

}  // namespace surety
