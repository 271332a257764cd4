// Links whose rates change while they are used, by a seeded script: the same for every run.
#pragma once

#include <atomic>
#include <thread>

#include "bench/fabric/network.h"

namespace surety::bench {

// From its start to its end every direction of every host's port gets a new rate each two to five
// seconds: the full one times 10^-u, u uniform in [0, 1).
class Weather {
 public:
  // `network` must outlive it.
  Weather(const ShapedNetwork& network, std::uint32_t hosts, double mbit_per_s, std::uint64_t seed);
  ~Weather();  // All rates are full again.

 private:
  void run(std::uint64_t seed);

  const ShapedNetwork& network_;
  const std::uint32_t hosts_;
  const double mbit_per_s_;
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

}  // namespace surety::bench
