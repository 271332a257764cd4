// Measures the rate of a worker's port from the bytes that have passed it.
//
// The times of messages show little about ports: messages wait for one another, sockets accept them
// at once, and many workers share each of the two ports on a path. The network interface counts
// every byte that passes, but does not show whether more bytes were waiting.
//
// Two properties distinguish a slow port from a port with little traffic. A fast port reaches its
// full rate at some moments. A slow port has the same rate all the time, because data are always
// waiting.
//
// Pure code; each direction is measured independently.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "base/time.h"
#include "fabric/transport/transport.h"

namespace surety::fabric {

// Rates of one direction over the last second.
struct CarriedRate {
  double burst_bytes_per_s = 0;  // Highest rate between two samples.
  // Highest rate over `kSustained` sampling intervals.
  double sustained_bytes_per_s = 0;
  // True if the rate was about the same most of the time.
  bool is_steady = false;
};

class PortWatch {
 public:
  static constexpr std::size_t kSustained = 4;

  // Records a sample: the bytes that have passed until now. Call it about every 50 ms; shorter
  // intervals would measure the bursts that a shaper lets through. REQUIRES: neither argument
  // decreases.
  void add_sample(Time now, const PortBytes& passed);

  struct Rates {
    CarriedRate out{};
    CarriedRate in{};
  };
  // Rates over the last second; absent until there are samples over a whole second.
  [[nodiscard]] std::optional<Rates> rates() const;

 private:
  struct Sample {
    Time at;
    PortBytes passed;
  };
  std::deque<Sample> samples_;  // Samples of the last second, and one before it.
};

// Returns the rate that the port can carry, if it can be determined. `typical` is the rate that
// similar ports can carry. A port that has reached half of it counts as typical, because then
// traffic did not wait for this port.
[[nodiscard]] std::optional<double> capacity_of(const CarriedRate& carried, double typical);

}  // namespace surety::fabric
