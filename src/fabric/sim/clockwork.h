// Simulated time: deeds at times, jobs on the network, and the weather between them.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>

#include "fabric/sim/fluid.h"
#include "fabric/sim/scenario.h"

namespace surety::fabric::sim {

class Clockwork {
 public:
  using Deed = std::function<void()>;

  explicit Clockwork(World& world);

  void after(double seconds, Deed deed);
  // Until then; jobs that end are told. What happens at the same time happens in order of asking.
  void run(double until_s, const std::function<void(JobId)>& ended);

  [[nodiscard]] double now_s() const { return now_s_; }
  [[nodiscard]] FluidNetwork& network() { return network_; }

 private:
  struct Later {
    double at_s;
    std::uint64_t order;
    Deed deed;
    bool operator<(const Later& other) const {  // The queue's top is the largest.
      return at_s != other.at_s ? at_s > other.at_s : order > other.order;
    }
  };
  void weather();

  World& world_;
  FluidNetwork network_;
  double now_s_ = 0;
  std::uint64_t deeds_ = 0;
  std::priority_queue<Later> later_;
};

}  // namespace surety::fabric::sim
