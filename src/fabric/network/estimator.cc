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
  if (window_max_ > 0 && now - window_from_ > kWindow) {
    close_window();
  }
  if (window_max_ == 0) window_from_ = now;
  window_max_ = std::max(window_max_, bytes_per_s);
}

double BandwidthEstimator::at(Time now) const {
  if (window_max_ == 0) return relaxed(now);
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
  const double before = relaxed(window_from_);
  const double off = std::log(window_max_ / before);
  const int sign = std::abs(off) <= kChangeLog ? 0 : off > 0 ? 1 : -1;
  const bool change = std::abs(off) > kJumpLog || (sign != 0 && sign == suspicion_);
  estimate_ = before * std::exp(off * (change ? kGainChange : kGainSteady));
  suspicion_ = sign;
  evidence_ = window_from_;
  window_max_ = 0;
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
