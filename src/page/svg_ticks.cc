// Ticks at round values.
#include <array>
#include <cmath>

#include "base/check.h"
#include "base/time.h"
#include "base/units.h"
#include "page/svg.h"

namespace surety::page {
namespace {

// The number of steps is limited for every range: otherwise rounding could give a step that adds
// nothing.
constexpr int kTicksMax = 50;

// 1, 2 or 5 times a power of ten, not below `least`.
double round_step(double least) {
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

}  // namespace

std::vector<Tick> number_ticks(double min, double max, int count) {
  SURETY_CHECK(min < max && std::isfinite(max - min) && count >= 1);
  const double step = round_step((max - min) / count);
  const int decimals = std::clamp(static_cast<int>(-std::floor(std::log10(step) + 1e-9)), 0, 12);
  const bool short_form = std::max(std::abs(min), std::abs(max)) >= 1e6 || step < 1e-6;
  std::vector<Tick> ticks;
  const double first = std::ceil(min / step - 1e-9);
  for (int i = 0; i < kTicksMax; ++i) {
    const double value = (first + i) * step;
    if (value > max + 1e-9 * step) break;
    ticks.push_back({value, short_form ? fmt::format("{:.3g}", value)
                                       : fmt::format("{:.{}f}", value, decimals)});
  }
  return ticks;
}

std::vector<Tick> log_ticks(double min, double max, int count) {
  SURETY_CHECK(0 < min && min < max && count >= 1);
  const int low = static_cast<int>(std::ceil(std::log10(min) - 1e-9));
  const int high = static_cast<int>(std::floor(std::log10(max) + 1e-9));
  if (high <= low) return number_ticks(min, max, count);  // The range is within one decade.
  const int every = std::max(1, (high - low + count - 1) / count);
  std::vector<Tick> ticks;
  for (int power = low; power <= high; power += every) {
    const double value = std::pow(10, power);
    ticks.push_back({value, power >= -2 && power <= 3 ? fmt::format("{:g}", value)
                                                      : fmt::format("1e{}", power)});
  }
  return ticks;
}

std::vector<Tick> time_ticks(double max_s, int count) {
  SURETY_CHECK(max_s > 0 && std::isfinite(max_s) && count >= 1);
  constexpr std::array kSteps{1,   2,   5,    10,   15,   30,    60,    120,   300,
                              600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400};
  const double least = max_s / count;
  double step = least < 1 ? round_step(least) : 86400 * round_step(std::max(1.0, least / 86400));
  for (const int candidate : kSteps) {
    if (least < 1 || candidate < least) continue;
    step = candidate;
    break;
  }
  std::vector<Tick> ticks;
  for (int i = 0; i < kTicksMax && i * step <= max_s * (1 + 1e-9); ++i) {
    const double seconds = i * step;
    ticks.push_back(
        {seconds, i == 0 ? "0" : format_duration(from_seconds(std::min(seconds, 9e9)))});
  }
  return ticks;
}

}  // namespace surety::page
