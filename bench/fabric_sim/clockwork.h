// A discrete-event clock: timed callbacks, jobs on the fluid network, and changes of its bandwidth.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>

#include "bench/fabric_sim/scenario.h"
#include "fabric/sim/fluid.h"

namespace surety::bench::sim {

class Clockwork {
 public:
  using Deed = std::function<void()>;

  explicit Clockwork(World& world);

  void after(double seconds, Deed deed);
  // Runs until the given time and calls `ended` for each job that ends. Callbacks with the same
  // time run in the order in which they were added.
  void run(double until_s, const std::function<void(fabric::sim::JobId)>& ended);

  [[nodiscard]] double now_s() const { return now_s_; }
  [[nodiscard]] fabric::sim::FluidNetwork& network() { return network_; }

 private:
  struct Later {
    double at_s;
    std::uint64_t order;
    Deed deed;
    bool operator<(const Later& other) const {  // The top of the queue is the largest entry.
      return at_s != other.at_s ? at_s > other.at_s : order > other.order;
    }
  };
  void weather();

  World& world_;
  fabric::sim::FluidNetwork network_;
  double now_s_ = 0;
  std::uint64_t deeds_ = 0;
  std::priority_queue<Later> later_;
};

}  // namespace surety::bench::sim
