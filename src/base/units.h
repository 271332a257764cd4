// Quantities as people write them, with units: "20min", "1MiB", "200Mbit/s", "0.35/h".
//
// An amount is digits, with or without decimals ("12", "12.5"): no sign, no exponent. One space may
// stand between an amount and its unit. Parsers accept exactly the forms listed at each function
// and say so when they refuse; who calls them puts file, line and key before the message.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"

namespace surety {

// "90s", "20min", "1h30min", "1h 5min", "250ms", "200us", "2d": larger units first, each once.
// REQUIRES a unit; at most 36500d.
[[nodiscard]] Result<Duration> parse_duration(std::string_view text);
// "64KiB", "1MiB", "2GB", "512B" (KiB = 1024 B, kB = 1000 B). REQUIRES a unit and a whole number of
// bytes.
[[nodiscard]] Result<std::uint64_t> parse_bytes(std::string_view text);
// "200Mbit/s", "1Gbit/s", "12.5MB/s" -> bytes per second.
[[nodiscard]] Result<double> parse_rate(std::string_view text);
// "0.35/h", "0.01/min", "1.2/s" -> price per second in the user's own money unit.
[[nodiscard]] Result<double> parse_price(std::string_view text);
// A finite number and nothing else.
[[nodiscard]] Result<double> parse_number(std::string_view text);

// Shortest readable form, rounded: "1h 5min", "20min", "12.3s", "250ms". parse_duration() reads it.
[[nodiscard]] std::string format_duration(Duration duration);
// "1.5 MiB", rounded to one decimal.
[[nodiscard]] std::string format_bytes(std::uint64_t bytes);

}  // namespace surety
