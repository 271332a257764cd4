#include "base/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/units.h"

namespace surety {
namespace {

// The next multiple of the unit. A multiple stays as it is: 0.07 / 0.01 is a little more than 7.
double next_multiple(double value, double unit) {
  const double count = value / unit;
  const double nearest = std::round(count);
  constexpr double kRounding = 4 * std::numeric_limits<double>::epsilon();
  const bool is_multiple = std::abs(count - nearest) <= kRounding * count;
  return (is_multiple ? nearest : std::ceil(count)) * unit;
}

// Whether a sum is shown with two decimals, and not with two digits.
bool has_decimals(double sum) { return std::abs(sum) >= 0.1 || sum == 0; }

}  // namespace

std::string short_number(double value) { return fmt::format("{:.4g}", value); }

std::string money(double value) {
  return has_decimals(value) ? fmt::format("{:.2f}", value) : fmt::format("{:.2g}", value);
}

std::string money_up(double value) {
  return money(has_decimals(value) ? next_multiple(value, 0.01) : digits_up(value, 2));
}

double digits_up(double value, int digits) {
  return next_multiple(value, std::pow(10.0, std::floor(std::log10(value)) + 1 - digits));
}

std::string percent(double share) {
  // Rounded down, so that no certainty is claimed.
  const double tenths = std::floor(share * 1000 + 1e-9);
  return fmt::format("{:g} %", tenths / 10);
}

std::string chosen_percent(double share) { return fmt::format("{:.10g} %", 100 * share); }

std::string more_or_less(double ratio) {
  const double change = std::round(100 * (ratio - 1));
  if (!std::isfinite(change)) return "";
  return change == 0 ? "the same" : fmt::format("{:+.0f} %", change);
}

std::string time_words(double seconds) {
  if (!std::isfinite(seconds)) return fmt::format("{} s", seconds);
  const double limit_s = 9e9;  // A Duration holds 292 years.
  const double kept = std::clamp(seconds, 0.0, limit_s);
  const double unit = kept >= 60 ? 1 : kept >= 1 ? 0.1 : 0.001;
  return format_duration(from_seconds(std::round(kept / unit) * unit));
}

std::string precise_time_words(double seconds) {
  return seconds < 0.001 ? format_duration(from_seconds(std::max(seconds, 0.0)))
                         : time_words(seconds);
}

std::string counted(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : noun.ends_with("ss") ? "es" : "s");
}

}  // namespace surety
