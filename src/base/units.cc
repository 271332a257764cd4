#include "base/units.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>

#include "base/text.h"

namespace surety {
namespace {

struct Unit {
  std::string_view name;
  double scale;
};

// Longest time first: the units of a compound duration must go down this table.
constexpr Unit kDurations[] = {{"d", 86400.0}, {"h", 3600.0}, {"min", 60.0},
                               {"s", 1.0},     {"ms", 1e-3},  {"us", 1e-6}};
constexpr Unit kBytes[] = {{"B", 1.0},      {"kB", 1e3},     {"MB", 1e6},
                           {"GB", 1e9},     {"TB", 1e12},    {"KiB", 0x1p10},
                           {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40}};
constexpr Unit kPrices[] = {
    {"/s", 1.0}, {"/min", 1.0 / 60}, {"/h", 1.0 / 3600}, {"/d", 1.0 / 86400}};

// A century: far above any deadline, and far below the 292 years at which nanoseconds overflow.
constexpr double kDurationMaxS = 36500.0 * 86400.0;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Removes "12" or "12.5" (no sign, no exponent, a digit at both ends) from the front of `text`.
std::optional<double> take_amount(std::string_view& text) {
  std::size_t length = 0;
  while (length < text.size() && (is_digit(text[length]) || text[length] == '.')) ++length;
  if (length == 0 || !is_digit(text[0]) || !is_digit(text[length - 1])) return std::nullopt;
  double value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + length, value, std::chars_format::fixed);
  if (error != std::errc() || end != text.data() + length) return std::nullopt;
  text.remove_prefix(length);
  return value;
}

void skip_space(std::string_view& text) {
  if (text.starts_with(' ')) text.remove_prefix(1);
}

const Unit* find_unit(std::span<const Unit> units, std::string_view name) {
  for (const Unit& unit : units) {
    if (unit.name == name) return &unit;
  }
  return nullptr;
}

std::string names_of(std::span<const Unit> units) {
  std::string names;
  for (const Unit& unit : units) names.append(names.empty() ? "" : ", ").append(unit.name);
  return names;
}

tl::unexpected<Error> refuse(std::string_view text, std::string_view expected,
                             std::span<const Unit> units) {
  return fail(ErrorCode::kInvalidInput, "found \"{}\", expected {} (units: {})", excerpt(text),
              expected, names_of(units));
}

// Parses one amount and one unit, with at most one space between them.
Result<double> parse_amount(std::string_view text, std::string_view expected,
                            std::span<const Unit> units) {
  std::string_view rest = text;
  const std::optional<double> amount = take_amount(rest);
  skip_space(rest);
  const Unit* unit = find_unit(units, rest);
  if (!amount || !unit) return refuse(text, expected, units);
  return *amount * unit->scale;
}

// Text such as "12.3", with at most one decimal, and with none if it would be 0.
std::string trim_tenths(std::int64_t tenths) {
  if (tenths % 10 == 0) return fmt::format("{}", tenths / 10);
  return fmt::format("{}.{}", tenths / 10, tenths % 10);
}

std::string format_pair(std::int64_t low, std::int64_t low_per_high, const char* high_unit,
                        const char* low_unit) {
  std::string text = fmt::format("{}{}", low / low_per_high, high_unit);
  if (low % low_per_high != 0) text += fmt::format(" {}{}", low % low_per_high, low_unit);
  return text;
}

}  // namespace

Result<Duration> parse_duration(std::string_view text) {
  static constexpr std::string_view kExpected = "a duration such as 90s, 20min or 1h30min";
  std::string_view rest = text;
  double seconds = 0;
  const Unit* last = nullptr;
  do {
    const std::optional<double> amount = take_amount(rest);
    skip_space(rest);
    std::size_t length = 0;
    while (length < rest.size() && rest[length] >= 'a' && rest[length] <= 'z') ++length;
    const Unit* unit = find_unit(kDurations, rest.substr(0, length));
    if (!amount || !unit || (last && unit <= last)) return refuse(text, kExpected, kDurations);
    seconds += *amount * unit->scale;
    last = unit;
    rest.remove_prefix(length);
    if (rest.size() > 1) skip_space(rest);  // For "1h 30min"; a space at the end is refused.
  } while (!rest.empty());
  if (seconds > kDurationMaxS) return refuse(text, "a duration of at most 36500d", kDurations);
  return Duration(std::llround(seconds * 1e9));
}

Result<std::uint64_t> parse_bytes(std::string_view text) {
  SURETY_TRY(const double bytes, parse_amount(text, "a size such as 64KiB or 2GB", kBytes));
  // Above 2^53 a double no longer counts single bytes, but no size is that large.
  if (bytes > 0x1p53) return refuse(text, "a size of at most 8192TiB", kBytes);
  if (bytes != std::floor(bytes)) return refuse(text, "a whole number of bytes", kBytes);
  return static_cast<std::uint64_t>(bytes);
}

Result<double> parse_price(std::string_view text) {
  return parse_amount(text, "a price per time such as 0.35/h", kPrices);
}

Result<double> parse_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    return fail(ErrorCode::kInvalidInput, "found \"{}\", expected a number", excerpt(text));
  }
  return value;
}

// Each form is chosen by its rounded value, so 59.96 s is "1min" and never "60s".
std::string format_duration(Duration duration) {
  if (duration < Duration::zero()) {
    // The negative of the lowest duration is not a duration.
    return "-" + format_duration(-std::max(duration, -Duration::max()));
  }
  const double s = to_seconds(duration);
  if (s < 0.5e-6) return "0s";
  if (s < 0.9995e-3) return fmt::format("{}us", std::llround(s * 1e6));
  if (s < 0.9995) return fmt::format("{}ms", std::llround(s * 1e3));
  if (s < 59.95) return trim_tenths(std::llround(s * 10)) + "s";
  if (s < 3599.5) return format_pair(std::llround(s), 60, "min", "s");
  if (s < 86370.0) return format_pair(std::llround(s / 60), 60, "h", "min");
  return format_pair(std::llround(s / 3600), 24, "d", "h");
}

std::string format_bytes(std::uint64_t bytes) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  static constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  // From 1023.95 on, one decimal would round to 1024.
  while (value >= 1023.95 && unit + 1 < std::size(kUnits)) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{} {}", trim_tenths(std::llround(value * 10)), kUnits[unit]);
}

}  // namespace surety
