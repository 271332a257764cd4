#include "data/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <iterator>

#include "base/text.h"

namespace surety::data {
namespace {

constexpr double kPowersOf10[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
constexpr int kExactPowerMax = 22;  // 10^22 is the last power of 10 that a double holds exactly.
constexpr std::uint64_t kExactIntegerMax = 1ull << 53;
constexpr std::uint64_t kDigitsFull =
    100'000'000'000'000'000;             // One digit more still fits into 64 bits.
constexpr int kExponentMax = 1'000'000;  // Far beyond any float; prevents overflows of sums.

bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

// value = digits * 10^exponent, or slightly more if `cut`: 64 bits do not hold all digits then.
struct Decimal {
  std::uint64_t digits = 0;
  int exponent = 0;
  bool cut = false;
};

// Reads digits into `decimal`. Each changes the exponent by `step`: 0 before the point, -1 behind
// it.
const char* scan_digits(const char* at, const char* end, int step, Decimal& decimal) {
  for (; at != end && is_digit(*at); ++at) {
    if (decimal.digits < kDigitsFull) [[likely]] {
      decimal.digits = decimal.digits * 10 + static_cast<unsigned>(*at - '0');
      decimal.exponent += step;
    } else {
      decimal.cut = true;
      decimal.exponent += step + 1;
    }
  }
  return at;
}

// At 'e' or 'E': reads the exponent if there is one; otherwise returns `at`.
const char* scan_exponent(const char* at, const char* end, Decimal& decimal) {
  const char* p = at + 1;
  const bool negative = p != end && *p == '-';
  if (p != end && (*p == '-' || *p == '+')) ++p;
  if (p == end || !is_digit(*p)) return at;
  int exponent = 0;
  for (; p != end && is_digit(*p); ++p)
    exponent = std::min(exponent * 10 + (*p - '0'), kExponentMax);
  decimal.exponent += negative ? -exponent : exponent;
  return p;
}

// The float nearest to `decimal`, if one exact double operation gives it; otherwise returns false.
//
// digits and 10^|exponent| are exact doubles, so the double result is correctly rounded (Clinger
// 1990). Rounding it again to float is right unless the double is exactly in the middle of two
// floats. Every such middle is a double. So rounding to double never moves a number across a
// middle, but may move it to the middle.
bool exact_float(const Decimal& decimal, float& value) {
  if (decimal.digits == 0) {
    value = 0;
    return true;
  }
  if (decimal.cut || decimal.digits > kExactIntegerMax) return false;
  if (decimal.exponent < -kExactPowerMax || decimal.exponent > kExactPowerMax) return false;
  const double digits = static_cast<double>(decimal.digits);
  const double exact = decimal.exponent < 0 ? digits / kPowersOf10[-decimal.exponent]
                                            : digits * kPowersOf10[decimal.exponent];
  // The bits of a double's 52 that a float's 23 do not hold.
  constexpr std::uint64_t kLowBits = (1ull << 29) - 1;
  if ((std::bit_cast<std::uint64_t>(exact) & kLowBits) == 1ull << 28) return false;
  // Near these limits the distances of floats are different.
  if (exact < 1e-37 || exact > 1e38) return false;
  value = static_cast<float>(exact);
  return true;
}

}  // namespace

FloatText parse_float(const char* begin, const char* end) {
  const char* at = begin;
  const bool negative = at != end && *at == '-';
  if (at != end && (*at == '-' || *at == '+')) ++at;
  const char* unsigned_begin = at;

  Decimal decimal;
  at = scan_digits(at, end, 0, decimal);
  auto digits = at - unsigned_begin;
  if (at != end && *at == '.') {
    const char* fraction = at + 1;
    at = scan_digits(fraction, end, -1, decimal);
    digits += at - fraction;
  }
  if (digits == 0) return {};
  if (at != end && (*at == 'e' || *at == 'E')) at = scan_exponent(at, end, decimal);

  float value = 0;
  if (!exact_float(decimal, value)) {
    const auto [stop, error] = std::from_chars(unsigned_begin, at, value);
    if (error == std::errc::result_out_of_range) {
      if (decimal.exponent > 0)
        // The number is too large, because a number that is too small has no positive exponent.
        return {};
      value = 0;
    } else if (error != std::errc()) {
      return {};
    }
  }
  return {.value = negative ? -value : value, .end = at};
}

bool parse_uint(std::string_view text, std::uint64_t& value) {
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && stop == text.data() + text.size() && !text.empty();
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::string quoted(std::string_view text) {
  constexpr std::size_t kBytesMax = 40;
  std::string out;
  for (const char c : text.substr(0, kBytesMax)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  // The text may have been cut inside a character. A journal could not hold such a text.
  const bool is_cut = text.size() > kBytesMax;
  const auto byte = first_byte_not_utf8(out);
  if (is_cut && byte && *byte + 3 >= out.size()) out.resize(*byte);
  return fmt::format("\"{}{}\"", plain_text(out, 4 * kBytesMax), is_cut ? "..." : "");
}

}  // namespace surety::data
