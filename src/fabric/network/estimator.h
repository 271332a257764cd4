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

#include <cstdint>
#include <optional>

#include "base/time.h"

namespace surety::fabric {

// Estimates one direction of one port.
class BandwidthEstimator {
 public:
  // REQUIRES: nominal > 0.
  explicit BandwidthEstimator(double nominal_bytes_per_s)
      : nominal_(nominal_bytes_per_s), estimate_(nominal_bytes_per_s) {}

  // Records that a piece was sent at this rate. REQUIRES: rate > 0; times do not decrease.
  void observe(Time now, double bytes_per_s);

  // The estimate in bytes per second. REQUIRES: times do not decrease.
  [[nodiscard]] double at(Time now) const;

 private:
  // The samples of a short time, of which only the highest counts.
  struct Window {
    Time from{};
    double max = 0;
  };
  // A window that differs from the estimate by more than noise.
  enum class Suspicion : std::uint8_t { kNone, kSlower, kFaster };

  [[nodiscard]] double relaxed(Time now) const;
  // REQUIRES: a window is open.
  void close_window();

  double nominal_;
  // The estimate at the time evidence_, without the open window.
  double estimate_;
  // Time when estimate_ last took in a window.
  Time evidence_{};
  Suspicion suspicion_ = Suspicion::kNone;  // By the last window that was closed.
  std::optional<Window> window_{};          // The open window, which has a sample.
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
