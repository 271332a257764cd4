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
  const SeenMetric& last = passes.back();
  const double speed = (passes[passes.size() - 1 - kSteps].value - last.value) / kSteps;
  return speed * passes_left <= kOfNoise * last.se + kOfMetric * std::abs(last.value);
}

}  // namespace surety::plan
