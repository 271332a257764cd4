// Text of data files: numbers out of it, and excerpts of it for messages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace surety::data {

// A number at the start of a text. `end` is just behind it, or nullptr where there is none.
struct FloatText {
  float value = 0;
  const char* end = nullptr;
};

// Reads [+-]digits[.digits][(e|E)[+-]digits] (digits needed on one side of the point), as far as it
// goes. ENSURES: the float nearest to what is written, as strtof in the C locale; what is too small
// is 0. No number: anything else, "nan" and "inf" among it, and what is too large for a float.
[[nodiscard]] FloatText parse_float(const char* begin, const char* end);

// The whole text as an unsigned number; false where it is none or does not fit.
[[nodiscard]] bool parse_uint(std::string_view text, std::uint64_t& value);

// Without spaces, tabs and carriage returns at both ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);

// In double quotes, unprintable bytes as \xNN, cut after 40 bytes: for messages.
[[nodiscard]] std::string quoted(std::string_view text);

}  // namespace surety::data
