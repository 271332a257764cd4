#include "plan/pool/past_best.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "base/statistics.h"

namespace surety::plan {
namespace {

constexpr std::size_t kAfterBest = 6;  // Passes; with fewer, random changes could look like a rise.
constexpr std::size_t kLast = 3;
// Two evaluations on the same samples share most of their noise. Their difference varies by about
// 0.3 standard errors. The rule allows twice that.
constexpr double kOwnNoise = 0.6;
// The least rise, in typical steps from pass to pass. Of attempts that only jitter about a constant
// for 14 passes, this rule abandons one in twelve; half of this value would abandon two in five
// (simulated).
constexpr double kSteps = 4;

}  // namespace

bool is_past_its_best(std::span<const SeenMetric> passes) {
  const auto best = std::ranges::min_element(passes, {}, &SeenMetric::value);
  if (passes.end() - best <= static_cast<std::ptrdiff_t>(kAfterBest)) return false;
  std::vector<double> steps;
  for (auto at = best; at + 1 != passes.end(); ++at) {
    steps.push_back(std::abs((at + 1)->value - at->value));
  }
  double last = 0;
  for (const SeenMetric& one : passes.last(kLast)) last += one.value / kLast;
  return last > best->value + kOwnNoise * best->se + kSteps * quantile(std::move(steps), 0.5);
}

}  // namespace surety::plan
