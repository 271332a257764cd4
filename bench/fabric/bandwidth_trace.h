// Links whose rates change during use, as described by a world; the changes are the same in every
// run.
#pragma once

#include <atomic>
#include <thread>

#include "bench/fabric/network.h"
#include "bench/fabric/script.h"

namespace surety::bench {

// While this object exists, every port has the world's rates.
class BandwidthTrace {
 public:
  // `network` must outlive it.
  BandwidthTrace(const ShapedNetwork& network, const sim::WorldOptions& world);
  ~BandwidthTrace();  // Resets all rates to the full rate.

 private:
  void run();

  const ShapedNetwork& network_;
  const sim::WorldOptions options_;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

}  // namespace surety::bench
