#include "plan/pool/settled.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace surety::plan {
namespace {

constexpr std::size_t kSteps = 6;  // Steps from pass to pass by which the speed is measured.
// An improvement by this part of the standard error, and by this part of the metric, is not
// notable.
constexpr double kOfNoise = 0.1;
constexpr double kOfMetric = 1e-4;

}  // namespace

bool has_settled(std::span<const SeenMetric> passes, std::uint32_t passes_left) {
  if (passes.size() <= kSteps) return false;
  const std::span<const SeenMetric> seen = passes.last(kSteps + 1);
  const auto [least, most] = std::ranges::minmax_element(seen, {}, &SeenMetric::value);
  const SeenMetric& last = seen.back();
  const double speed = (seen.front().value - last.value) / kSteps;
  const double notable = kOfNoise * last.se + kOfMetric * std::abs(last.value);
  return most->value - least->value <= notable && speed * passes_left <= notable;
}

}  // namespace surety::plan
