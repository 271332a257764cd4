// Quantities with units as people write them: "20min", "1MiB", "0.35/h".
//
// An amount is digits, with or without decimals ("12", "12.5"), without sign and exponent. One
// space may be between an amount and its unit. Parsers accept exactly the forms listed at each
// function. Any other text is InvalidInput, and the message says what is expected. Callers put
// file, line and key before the message.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"

namespace surety {

// Forms: "90s", "20min", "1h30min", "1h 5min", "250ms", "200us", "2d"; larger units come first, and
// no unit occurs twice.
// REQUIRES a unit; at most 36500d.
[[nodiscard]] Result<Duration> parse_duration(std::string_view text);
// Forms: "64KiB", "1MiB", "2GB", "512B" (KiB = 1024 B, kB = 1000 B). REQUIRES a unit and a whole
// number of bytes.
[[nodiscard]] Result<std::uint64_t> parse_bytes(std::string_view text);
// Forms: "0.35/h", "0.01/min", "1.2/s". Returns the price per second in the user's money unit.
[[nodiscard]] Result<double> parse_price(std::string_view text);
// Parses a finite number, and accepts nothing else.
[[nodiscard]] Result<double> parse_number(std::string_view text);

// The shortest readable form, rounded: "1h 5min", "20min", "12.3s", "250ms". parse_duration() can
// read it.
[[nodiscard]] std::string format_duration(Duration duration);
// Text such as "1.5 MiB", rounded to one decimal.
[[nodiscard]] std::string format_bytes(std::uint64_t bytes);

}  // namespace surety
