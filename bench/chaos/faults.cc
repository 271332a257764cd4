#include "faults.h"

#include <numeric>

namespace surety::bench {
namespace {

// Seconds between two faults that may overlap, on average.
constexpr double kBetweenS = 1.5;
// Seconds; most pauses are shorter. It is longer than the silence after which a worker counts as
// lost (elastic::LivenessOptions), so that some workers are wrongly declared lost and return.
constexpr double kLastsMaxS = 7;
// Seconds, for faults that are apart: the shortest fault, and the time from the end of one to the
// next.
constexpr double kApartLastsMinS = 3;
constexpr double kApartBetweenS = 6;

bool can(FaultKind kind, const Capabilities& capabilities) {
  switch (kind) {
    case FaultKind::kCutWorker:
    case FaultKind::kCutCoordinator:
      return capabilities.links;
    case FaultKind::kFillDisk:
      return capabilities.disk;
    default:
      return true;
  }
}

}  // namespace

std::string_view name_of(FaultKind kind) {
  static constexpr std::array<std::string_view, kFaultKinds + 1> kNames{
      "kill worker",      "stop worker",     "ask worker", "cut worker", "kill coordinator",
      "stop coordinator", "cut coordinator", "fill disk",  "resume"};
  return kNames[static_cast<std::size_t>(kind)];
}

Faults::Faults(std::uint64_t seed, const Capabilities& capabilities, FaultTiming timing)
    : random_(Random(seed).fork("chaos")), timing_(timing) {
  for (std::size_t i = 0; i < kFaultKinds; ++i) {
    const auto kind = static_cast<FaultKind>(i);
    if (timing == FaultTiming::kApart) {
      weights_[i] = can(kind, capabilities) ? 1 : 0;
      continue;
    }
    const double drawn = random_.uniform();
    weights_[i] = can(kind, capabilities) ? drawn * drawn : 0;
    if (kind == FaultKind::kKillCoordinator) weights_[i] += 0.3;
    if (kind == FaultKind::kKillWorker) weights_[i] += 0.3;
  }
}

double Faults::first_s() const { return timing_ == FaultTiming::kApart ? kApartBetweenS : 0; }

Fault Faults::next() {
  double at = random_.uniform() * std::accumulate(weights_.begin(), weights_.end(), 0.0);
  std::size_t chosen = 0;
  while (chosen + 1 < kFaultKinds && at >= weights_[chosen]) at -= weights_[chosen++];
  while (weights_[chosen] == 0) --chosen;  // Needed if rounding went past the last kind.
  Fault fault{.kind = static_cast<FaultKind>(chosen)};
  const double uniform = random_.uniform();
  if (timing_ == FaultTiming::kApart) {
    fault.duration_s = kApartLastsMinS + (kLastsMaxS - kApartLastsMinS) * uniform;
    fault.pause_s = fault.duration_s + kApartBetweenS;
  } else {
    fault.duration_s = kLastsMaxS * uniform * uniform * uniform;
    fault.pause_s = -kBetweenS * std::log1p(-random_.uniform());
  }
  fault.target = random_.next();
  return fault;
}

}  // namespace surety::bench
