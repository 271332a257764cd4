// Numbers as text for people. The terminal, the log, the pages and the certificate use the same
// words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace surety {

// Four significant digits, for display only.
[[nodiscard]] std::string short_number(double value);
[[nodiscard]] std::string money(double value);  // Two decimals, or two digits below 0.1.
// The text of money() for the value rounded up. REQUIRES: value >= 0.
[[nodiscard]] std::string money_up(double value);
// The next number with this many significant digits: with two of them 1234 becomes 1300.
// REQUIRES: value > 0, digits > 0.
[[nodiscard]] double digits_up(double value, int digits);
[[nodiscard]] std::string percent(double share);  // "95 %", "99.2 %"; rounded down.
// A number that a user chose, in full: "99.999 %".
[[nodiscard]] std::string chosen_percent(double share);
[[nodiscard]] std::string more_or_less(double ratio);  // Examples are "+12 %" and "the same".
[[nodiscard]] std::string time_words(double seconds);
// The same with microseconds below a millisecond, for passes over few samples: "250us". A
// negative time is "0s".
[[nodiscard]] std::string precise_time_words(double seconds);
[[nodiscard]] std::string counted(std::uint64_t count, std::string_view noun);  // "2 nodes"

}  // namespace surety
