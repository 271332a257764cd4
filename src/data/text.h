// Functions for the text of data files: they parse numbers, and quote parts of it in messages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace surety::data {

// A number at the start of a text. `end` is the position behind it, or nullptr if there is no
// number.
struct FloatText {
  float value = 0;
  const char* end = nullptr;
};

// Reads [+-]digits[.digits][(e|E)[+-]digits], with digits on at least one side of the point, up to
// the first character that does not fit.
// ENSURES: the float nearest to the text, as by strtof in the C locale, except that numbers too
// small for a float are 0. Other texts, including "nan" and "inf", and numbers too large for a
// float, are not accepted as numbers.
[[nodiscard]] FloatText parse_float(const char* begin, const char* end);

// Reads the whole text as an unsigned number. False if it is not a number or does not fit.
[[nodiscard]] bool parse_uint(std::string_view text, std::uint64_t& value);

// The text without spaces, tabs and carriage returns at both ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);

// The text in double quotes for messages, with control bytes as \xNN, and '?' for other characters
// that are not plain (plain_text()). It is cut between two characters, after at most 40 bytes.
[[nodiscard]] std::string quoted(std::string_view text);

}  // namespace surety::data
