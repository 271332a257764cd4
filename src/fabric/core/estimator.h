// How fast a port is now, from how fast single chunks went over it.
//
// A chunk sent back to back shows the rate of its path even when the average is limited by what was
// planned. A path has two ports, so a sample is a lower bound of each: samples of one window are
// joined by their maximum over partners. Capacities change in jumps: a window's value that differs
// from the estimate by more than noise, twice running, replaces it almost entirely, any other moves
// it a little (in the logarithm, since noise and changes are factors). Without evidence the
// estimate returns to the nominal rate, or a recovered port would never be tried again.
#pragma once

#include <chrono>
#include <cstdint>

#include "base/time.h"

namespace surety::fabric {

struct EstimatorOptions {
  // |log(sample / estimate)|: twice running beyond the first, or once beyond the second, is a
  // change. With 15 % of noise one sample in 130 is beyond 0.4, and of many ports one always would
  // be wrong; two running are one in 17,000, and 0.8 never is.
  double change_log = 0.4;
  double jump_log = 0.8;
  double gain_change = 0.85;  // 1 would trust one sample; 0.7 costs a block more per change.
  double gain_steady = 0.12;  // Averages over about 8 windows; doubled, noise doubles too.
  Duration window = std::chrono::milliseconds(10);
  Duration relax = std::chrono::seconds(10);  // Without evidence, the distance falls by e in this.
};

// One direction of one port.
class BandwidthEstimator {
 public:
  // REQUIRES: nominal > 0.
  explicit BandwidthEstimator(double nominal_bytes_per_s, EstimatorOptions options = {})
      : options_(options), nominal_(nominal_bytes_per_s), estimate_(nominal_bytes_per_s) {}

  // A chunk went at this rate. REQUIRES: rate > 0; times do not fall.
  void observe(Time now, double bytes_per_s);

  // REQUIRES: times do not fall.
  [[nodiscard]] double at(Time now) const;

  [[nodiscard]] double nominal() const { return nominal_; }

 private:
  [[nodiscard]] double relaxed(Time now) const;
  void close_window();

  EstimatorOptions options_;
  double nominal_;
  double estimate_;    // As of evidence_, without the open window.
  Time evidence_{};    // When estimate_ last took in a window.
  int suspicion_ = 0;  // The last window was beyond change_log: its sign.
  double window_max_ = 0;
  Time window_from_{};  // Of the open window; it has no samples while window_max_ is 0.
};

// The class of a port: 0 above half the reference rate, 1 above a quarter, and so on; the last
// class takes all that is slower. One that lies at a boundary would flap with noise, so `previous`
// is kept until the rate is `hysteresis` times beyond.
struct SpeedClasses {
  double reference_bytes_per_s = 0;
  std::uint32_t count = 1;  // With one, all ports are alike.
  double hysteresis = 1.15;

  // REQUIRES: previous < count.
  [[nodiscard]] std::uint32_t class_of(double bytes_per_s) const;
  [[nodiscard]] std::uint32_t class_of(double bytes_per_s, std::uint32_t previous) const;
};

}  // namespace surety::fabric
