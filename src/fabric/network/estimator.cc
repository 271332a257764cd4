#include "fabric/network/estimator.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/check.h"

namespace surety::fabric {
namespace {

// Limits on |log(sample / estimate)|. Two samples in a row beyond the first limit, or one beyond
// the second, count as a change of the rate. With 15 % of noise one sample in 130 is beyond 0.4, so
// among many ports one would always be wrong. Two consecutive ones occur once in 17,000 samples,
// and 0.8 is never reached.
constexpr double kChangeLog = 0.4;
constexpr double kJumpLog = 0.8;
// 1 would trust a single sample; 0.7 costs one block more for each change.
constexpr double kGainChange = 0.85;
// Averages over about 8 windows. If the value is doubled, the noise also doubles.
constexpr double kGainSteady = 0.12;
constexpr Duration kWindow = std::chrono::milliseconds(10);
// Without evidence, the distance from the nominal rate falls by a factor of e in this time.
constexpr Duration kRelax = std::chrono::seconds(10);

}  // namespace

void BandwidthEstimator::observe(Time now, double bytes_per_s) {
  SURETY_CHECK(bytes_per_s > 0);
  if (window_ && now - window_->from > kWindow) close_window();
  if (!window_) window_ = Window{.from = now};
  window_->max = std::max(window_->max, bytes_per_s);
}

double BandwidthEstimator::at(Time now) const {
  if (!window_) return relaxed(now);
  // The open window is included, so that a change has an effect at its first sample.
  BandwidthEstimator closed = *this;
  closed.close_window();
  return closed.relaxed(now);
}

double BandwidthEstimator::relaxed(Time now) const {
  if (estimate_ == nominal_) return nominal_;
  const double left = std::exp(-to_seconds(now - evidence_) / to_seconds(kRelax));
  return nominal_ * std::exp(std::log(estimate_ / nominal_) * left);
}

void BandwidthEstimator::close_window() {
  const Window window = window_.value();
  const double before = relaxed(window.from);
  const double off = std::log(window.max / before);
  const Suspicion suspicion = std::abs(off) <= kChangeLog ? Suspicion::kNone
                              : off > 0                   ? Suspicion::kFaster
                                                          : Suspicion::kSlower;
  const bool change =
      std::abs(off) > kJumpLog || (suspicion != Suspicion::kNone && suspicion == suspicion_);
  estimate_ = before * std::exp(off * (change ? kGainChange : kGainSteady));
  suspicion_ = suspicion;
  evidence_ = window.from;
  window_.reset();
}

std::uint32_t SpeedClasses::class_of(double bytes_per_s) const {
  SURETY_CHECK(count > 0 && bytes_per_s > 0);
  double floor = reference_bytes_per_s / 2;
  std::uint32_t result = 0;
  while (result + 1 < count && bytes_per_s <= floor) {
    floor /= 2;
    ++result;
  }
  return result;
}

std::uint32_t SpeedClasses::class_of(double bytes_per_s, std::uint32_t previous) const {
  SURETY_CHECK(previous < count);
  const std::uint32_t slower = class_of(bytes_per_s * hysteresis);
  const std::uint32_t faster = class_of(bytes_per_s / hysteresis);
  // The port is still in a slower class, although its rate was scaled upwards.
  if (slower > previous) return slower;
  if (faster < previous) return faster;
  return previous;
}

}  // namespace surety::fabric
