// Links whose rates change while they are used, as a world says: the same for every run.
#pragma once

#include <atomic>
#include <thread>

#include "bench/fabric/network.h"
#include "bench/fabric/script.h"

namespace surety::bench {

// From its start to its end every port has the world's rates.
class Weather {
 public:
  // `network` must outlive it.
  Weather(const ShapedNetwork& network, const fabric::sim::WorldOptions& world);
  ~Weather();  // All rates are full again.

 private:
  void run();

  const ShapedNetwork& network_;
  const fabric::sim::WorldOptions options_;
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

}  // namespace surety::bench
