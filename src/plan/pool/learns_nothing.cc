#include "plan/pool/learns_nothing.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace surety::plan {
namespace {

constexpr double kDeviations = 2;
constexpr double kNear = 0.97;        // Hardly better: this share of the untrained model's metric.
constexpr std::size_t kAtChance = 2;  // Passes in a row.
constexpr std::size_t kNearChance = 3;  // Passes in a row.
constexpr double kPrecise = 0.003;  // Standard error, as a share of the untrained model's metric.

bool falls(const SeenMetric& from, const SeenMetric& to) {
  return to.value < from.value - kDeviations * std::hypot(from.se, to.se);
}

}  // namespace

bool is_at_chance(const SeenMetric& seen, double untrained) {
  return seen.value + kDeviations * seen.se >= untrained;
}

bool learns_nothing(std::span<const SeenMetric> passes, double untrained, bool another) {
  if (passes.empty()) return false;
  const auto stays = [&](std::size_t count, const auto& where) {
    if (passes.size() < count) return false;
    const std::span<const SeenMetric> last = passes.last(count);
    return std::ranges::all_of(last, where) && !falls(last.front(), last.back());
  };
  const auto at_chance = [&](const SeenMetric& m) { return is_at_chance(m, untrained); };
  const bool precise = passes.back().se <= kPrecise * untrained;
  return (precise && stays(another ? kAtChance - 1 : kAtChance, at_chance)) ||
         stays(kNearChance, [&](const SeenMetric& m) { return m.value > kNear * untrained; });
}

}  // namespace surety::plan
