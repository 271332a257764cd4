// A discrete-event clock: timed callbacks, jobs on the fluid network, and changes of its bandwidth.
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
  // Runs until the given time and calls `ended` for each job that ends. Callbacks with the same
  // time run in the order in which they were added.
  void run(double until_s, const std::function<void(JobId)>& ended);

  [[nodiscard]] double now_s() const { return now_s_; }
  [[nodiscard]] FluidNetwork& network() { return network_; }

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
  FluidNetwork network_;
  double now_s_ = 0;
  std::uint64_t deeds_ = 0;
  std::priority_queue<Later> later_;
};

}  // namespace surety::fabric::sim
