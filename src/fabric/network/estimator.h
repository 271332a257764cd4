// Estimates the current rate of a port from the rates of single pieces of transfers
// that passed it.
//
// A piece that is sent back to back shows the rate of its path even when the average rate is
// limited by the plan. A path has two ports, so a sample is a lower bound for each of them: the
// samples of one window are joined by their maximum over partners.
//
// Capacities change in jumps. If a window's value differs from the estimate by more than noise
// twice in a row, it replaces the estimate almost entirely. Any other value moves the estimate a
// little, in the logarithm, because noise and changes are factors. Without evidence the estimate
// returns to the nominal rate, because otherwise a recovered port would never be tried again.
#pragma once

#include <chrono>
#include <cstdint>

#include "base/time.h"

namespace surety::fabric {

struct EstimatorOptions {
  // Limits on |log(sample / estimate)|. Two samples in a row beyond the first limit, or one beyond
  // the second, count as a change of the rate. With 15 % of noise one sample in 130 is beyond
  // 0.4, so among many ports one would always be wrong. Two consecutive ones occur once in 17,000
  // samples, and 0.8 is never reached.
  double change_log = 0.4;
  double jump_log = 0.8;
  // 1 would trust a single sample; 0.7 costs one block more for each change.
  double gain_change = 0.85;
  // Averages over about 8 windows. If the value is doubled, the noise also doubles.
  double gain_steady = 0.12;
  Duration window = std::chrono::milliseconds(10);
  // Without evidence, the distance from the nominal rate falls by a factor of e in this time.
  Duration relax = std::chrono::seconds(10);
};

// Estimates one direction of one port.
class BandwidthEstimator {
 public:
  // REQUIRES: nominal > 0.
  explicit BandwidthEstimator(double nominal_bytes_per_s, EstimatorOptions options = {})
      : options_(options), nominal_(nominal_bytes_per_s), estimate_(nominal_bytes_per_s) {}

  // Records that a piece was sent at this rate. REQUIRES: rate > 0; times do not decrease.
  void observe(Time now, double bytes_per_s);

  // The estimate in bytes per second. REQUIRES: times do not decrease.
  [[nodiscard]] double at(Time now) const;

 private:
  [[nodiscard]] double relaxed(Time now) const;
  void close_window();

  EstimatorOptions options_;
  double nominal_;
  // The estimate at the time evidence_, without the open window.
  double estimate_;
  // Time when estimate_ last took in a window.
  Time evidence_{};
  // Sign of the last window's difference if it was beyond change_log, otherwise 0.
  int suspicion_ = 0;
  double window_max_ = 0;
  // Start of the open window, which has no samples while window_max_ is 0.
  Time window_from_{};
};

// The class of a port: 0 above half of the reference rate, 1 above a quarter, and so on; the last
// class has all slower ports. A port near a limit would change its class with the noise. Therefore
// it keeps its class `previous` until the rate is beyond the limit by the factor `hysteresis`.
struct SpeedClasses {
  double reference_bytes_per_s = 0;
  std::uint32_t count = 1;  // 1 puts all ports into the same class.
  double hysteresis = 1.15;

  // REQUIRES: previous < count.
  [[nodiscard]] std::uint32_t class_of(double bytes_per_s) const;
  [[nodiscard]] std::uint32_t class_of(double bytes_per_s, std::uint32_t previous) const;
};

}  // namespace surety::fabric
